// The objects of the cluster by kind and name, with the shim that stated each last. Holds the references on
// their texts; what they mean is kept by ClusterFacts.
//
// Thread: the engine's.
#pragma once

#include <cstddef>
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
    // Its neighbours among its owner's.
    const ObjectName* before = nullptr;
    const ObjectName* after = nullptr;
};

using ObjectTable = std::map<ObjectName, StatedObject>;

// The objects of one shim, by when it stated each last: objects that go with the shim are found without a look at others'.
// Objects of the table link it; an object is taken out before it goes.
class ObjectsOfShim {
public:
    void push_back(ObjectTable& table, ObjectTable::iterator at) {
        at->second.before = last_;
        at->second.after = nullptr;
        (last_ == nullptr ? first_ : table.find(*last_)->second.after) = &at->first;
        last_ = &at->first;
        ++size_;
    }
    void remove(ObjectTable& table, ObjectTable::iterator at) {
        const StatedObject& one = at->second;
        (one.before == nullptr ? first_ : table.find(*one.before)->second.after) = one.after;
        (one.after == nullptr ? last_ : table.find(*one.after)->second.before) = one.before;
        --size_;
    }
    const ObjectName* first() const { return first_; }  // null: none
    std::size_t size() const { return size_; }

private:
    const ObjectName* first_ = nullptr;
    const ObjectName* last_ = nullptr;
    std::size_t size_ = 0;
};

ObjectName name_of(const ClusterObject&);

}  // namespace bayplan
