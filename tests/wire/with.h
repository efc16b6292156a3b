// A record whose one field is set: shorter in a table of cases than a statement per field.
//
// Thread: any; nothing is kept.
#pragma once

#include <type_traits>

namespace bayplan::wire {

template <class Record, class Field>
Record with(Field Record::*field, std::type_identity_t<Field> value) {
    Record record{};
    record.*field = value;
    return record;
}

}  // namespace bayplan::wire
