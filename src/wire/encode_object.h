// Encodes one object of an Objects message. Private to src/wire.
//
// Thread and owner: the Encoder's.
#pragma once

#include "bayplan/messages.h"
#include "wire/builder.h"

namespace bayplan::fbs {
struct Object;
}

namespace bayplan::wire {

flatbuffers::Offset<fbs::Object> put_object(flatbuffers::FlatBufferBuilder& out, Tables& tables,
                                            const ObjectItem& record);

}  // namespace bayplan::wire
