// Encodes one spec of a Specs message. Private to src/wire.
//
// Thread and owner: the Encoder's.
#pragma once

#include "bayplan/messages.h"
#include "wire/builder.h"

namespace bayplan::fbs {
struct PodSpec;
}

namespace bayplan::wire {

flatbuffers::Offset<fbs::PodSpec> put_spec(flatbuffers::FlatBufferBuilder& out, Tables& tables, const SpecItem& record);

}  // namespace bayplan::wire
