// Lists of amounts by resource, each resource once.
//
// Thread: any; nothing is kept.
#pragma once

#include <cstdint>
#include <span>

#include "cluster/shard.h"

namespace bayplan {

// 0 if the list has none of the resource.
inline std::int64_t amount_of(std::span<const ResourceAmount> amounts, ResourceId resource) {
    for (const ResourceAmount& amount : amounts) {
        if (amount.resource == resource) {
            return amount.value;
        }
    }
    return 0;
}

}  // namespace bayplan
