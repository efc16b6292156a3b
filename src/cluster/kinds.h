// Resource kinds by dense id, with the two that scores know by name at fixed ids.
//
// Thread: the engine's; the fixed ids may be used by anybody.
#pragma once

#include <string_view>

#include "base/name_table.h"

namespace bayplan {

inline constexpr KindId kCpu = static_cast<KindId>(0);     // milli-cores
inline constexpr KindId kMemory = static_cast<KindId>(1);  // bytes
// What resource scores count of cpu and memory (R-SCORE-1). No node has a capacity of these and no
// ask requests them: they are columns of `used` and `foreign` alone.
inline constexpr KindId kScoredCpu = static_cast<KindId>(2);
inline constexpr KindId kScoredMemory = static_cast<KindId>(3);

constexpr bool is_resource(KindId kind) { return kind != kScoredCpu && kind != kScoredMemory; }

class KindTable : public NameTable<KindId> {
public:
    KindTable() {
        BP_CHECK(acquire("cpu") == kCpu);
        BP_CHECK(acquire("memory") == kMemory);
        // LF cannot occur in a name of a shim.
        BP_CHECK(acquire("cpu\nscored") == kScoredCpu);
        BP_CHECK(acquire("memory\nscored") == kScoredMemory);
    }
};

}  // namespace bayplan
