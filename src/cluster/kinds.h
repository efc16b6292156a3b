// Resource kinds by dense id, with the two that scores know by name at fixed ids.
//
// Thread: the engine's; the fixed ids may be used by anybody.
#pragma once

#include <string_view>

#include "base/name_table.h"

namespace bayplan {

inline constexpr KindId kCpu = static_cast<KindId>(0);     // milli-cores
inline constexpr KindId kMemory = static_cast<KindId>(1);  // bytes

class KindTable : public NameTable<KindId> {
public:
    KindTable() {
        BP_CHECK(acquire("cpu") == kCpu);
        BP_CHECK(acquire("memory") == kMemory);
    }
};

}  // namespace bayplan
