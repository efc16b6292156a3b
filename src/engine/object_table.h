// The objects of the cluster by kind and name, with the shim that stated each last. Holds the references on
// their texts; what they mean is kept by ClusterFacts.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "base/ids.h"
#include "bayplan/cluster_object.h"

namespace bayplan {

// Kind (index in the variant), kind of a PodSet, namespace, name.
using ObjectName = std::tuple<std::size_t, Text, Text, Text>;

struct StatedObject {
    ClusterObject object;
    ShimId owner = kNone<ShimId>;
    std::uint64_t bytes = 0;  // that it counts as
};

using ObjectTable = std::map<ObjectName, StatedObject>;

ObjectName name_of(const ClusterObject&);

}  // namespace bayplan
