// All nodes at once for a pod's volumes: what judge() says one by one, as far as labels and sizes tell, as operations on bits.
//
// Thread: any, while nobody changes VolumeObjects or interns.
#pragma once

#include "cluster/node_mask.h"
#include "volumes/volume_plan.h"

namespace bayplan {

// Takes nodes out of the mask that judge() refuses. True: it passes all that are left; else those must be asked about. A plan
// that refuses the whole pod must not be asked.
bool narrow(VolumePredicate, const VolumePlan&, const VolumeObjects&, const KnownTexts&, const TextTable&, NodeMask&);

}  // namespace bayplan
