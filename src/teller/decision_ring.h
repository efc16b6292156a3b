// The ring between the engine and the teller (base/record_ring.h).
//
// Thread: written by the engine's, read by the teller's.
#pragma once

#include "base/record_ring.h"
#include "teller/record.h"

namespace bayplan {

extern template class RecordRing<RecordHead>;  // one copy of its code: decision_ring.cpp
using DecisionRing = RecordRing<RecordHead>;
using RecordTexts = DecisionRing::Texts;
using Record = DecisionRing::Record;

}  // namespace bayplan
