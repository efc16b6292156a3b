// Encodes the bodies of the numbered state stream. Private to src/wire.
//
// Thread and owner: the Encoder's.
#pragma once

#include "wire/builder.h"

namespace bayplan::fbs {
struct State;
}

namespace bayplan::wire {

flatbuffers::Offset<fbs::State> put_state(flatbuffers::FlatBufferBuilder& out, Tables& tables, const StateFrame& state);

}  // namespace bayplan::wire
