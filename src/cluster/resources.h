// Resources by dense id, with the two that scores know by name at fixed ids.
//
// Thread: the engine's; the fixed ids may be used by anybody.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "options/engine_options.h"

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

// References on the kinds that NodeResourcesFit looks at. Of a table that has nothing else yet the ids are the same each
// time, so who has the settings knows them.
inline std::vector<ResourceId> acquire_scored(ResourceTable& resources, std::span<const ScoredResource> scored) {
    std::vector<ResourceId> ids;
    std::uint32_t next = raw(kScoredMemory) + 1;
    for (const ScoredResource& one : scored) {
        const ResourceId id = resources.acquire(one.name);
        BP_CHECK(id == kCpu || id == kMemory || raw(id) == next++);
        ids.push_back(id);
    }
    return ids;
}

}  // namespace bayplan
