// Resources by dense id, with the two that scores know by name at fixed ids.
//
// Thread: the engine's; the fixed ids may be used by anybody.
#pragma once

#include <string_view>

#include "base/name_table.h"

namespace bayplan {

inline constexpr ResourceId kCpu = static_cast<ResourceId>(0);     // milli-cores
inline constexpr ResourceId kMemory = static_cast<ResourceId>(1);  // bytes
// Amounts of cpu and memory that resource scores count (R-SCORE-1). No node has a capacity of these
// and no ask requests them: they are columns of `used` and `foreign` alone.
inline constexpr ResourceId kScoredCpu = static_cast<ResourceId>(2);
inline constexpr ResourceId kScoredMemory = static_cast<ResourceId>(3);

constexpr bool is_resource(ResourceId resource) { return resource != kScoredCpu && resource != kScoredMemory; }

class ResourceTable : public NameTable<ResourceId> {
public:
    ResourceTable() {
        BP_CHECK(acquire("cpu") == kCpu);
        BP_CHECK(acquire("memory") == kMemory);
        // LF cannot occur in a name of a shim.
        BP_CHECK(acquire("cpu\nscored") == kScoredCpu);
        BP_CHECK(acquire("memory\nscored") == kScoredMemory);
    }
};

}  // namespace bayplan
