// Decodes one spec of a Specs message. Private to src/wire.
//
// Thread and owner: the DecodedFrame's.
#pragma once

#include "bayplan/messages.h"
#include "wire/fields.h"

namespace bayplan::fbs {
struct PodSpec;
}

namespace bayplan::wire {

// `out` is fresh. False: the fault is in `fields`.
bool decode_spec(const fbs::PodSpec& spec, const Where& where, Fields& fields, SpecItem& out);

}  // namespace bayplan::wire
