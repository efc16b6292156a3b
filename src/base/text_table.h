// The engine's texts by number: label keys and values, names of images, claims, namespaces...
//
// Thread: the engine's, which alone interns; numbers and texts that are held may be read by workers that
// were handed them. Number 0 is the empty text, for ever.
#pragma once

#include "base/name_table.h"
#include "bayplan/pod_spec.h"

namespace bayplan {

class TextTable : public NameTable<Text> {
public:
    TextTable() { BP_CHECK_OP(acquire(""), ==, Text{0}); }
};

}  // namespace bayplan
