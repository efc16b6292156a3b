// Decodes one object of an Objects message. Private to src/wire.
//
// Thread and owner: the DecodedFrame's.
#pragma once

#include "bayplan/messages.h"
#include "wire/fields.h"

namespace bayplan::fbs {
struct Object;
}

namespace bayplan::wire {

// `out` is fresh. False: the fault is in `fields`.
bool decode_object(const fbs::Object& object, const Where& where, Fields& fields, ObjectItem& out);

}  // namespace bayplan::wire
