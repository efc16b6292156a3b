// Decodes the bodies of the numbered state stream. Private to src/wire.
//
// Thread and owner: the DecodedFrame's.
#pragma once

#include "wire/codec.h"
#include "wire/fields.h"
#include "wire/storage.h"

namespace bayplan::fbs {
struct State;
}

namespace bayplan::wire {

// False: the fault is in `fields`.
bool decode_state(const fbs::State& state, Fields& fields, Storage& storage, StateFrame& out);

}  // namespace bayplan::wire
