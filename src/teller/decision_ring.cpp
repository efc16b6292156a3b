// The code of the ring, for the teller's records. See decision_ring.h.

#include "teller/decision_ring.h"

namespace bayplan {

template class RecordRing<RecordHead>;

}  // namespace bayplan
