// The partition as it was at one moment, for as many readers as like and as long as they hold it. Nothing here changes; facts
// that follow from it (which pods are on a node, sums) are found when somebody first asks, once per version.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbered_texts.h"
#include "read_model/ended_applications.h"
#include "read_model/entries.h"
#include "read_model/packed_texts.h"
#include "read_model/shared_texts.h"
#include "read_model/tallies.h"

namespace bayplan::read_model {

// Ids in groups: of group g they are ids[first[g]] up to ids[first[g + 1]].
struct Groups {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> ids;
    std::span<const std::uint32_t> of(std::uint32_t group) const {
        return group + std::size_t{1} < first.size()
                   ? std::span(ids).subspan(first[group], first[group + 1] - first[group])
                   : std::span<const std::uint32_t>();
    }
};

// Amounts that an application has and wants.
struct ApplicationSums {
    AmountList used;
    AmountList pending;
    AmountList placeholders;                   // part of `used`
    AmountList preempting;                     // part of `used`, of pods that a preemption chose
    std::int32_t highest_waiting = INT32_MIN;  // priority; INT32_MIN: nothing waits (R-QUEUE-11)
};

class Version {
public:
    // --- as the model left it
    std::uint64_t number = 0;   // of versions
    std::uint64_t changes = 0;  // records that are in it
    std::int64_t now_ns = 0;    // the engine's tick of the last of them
    ChunkView<Pod> pods;
    PackedView keys;  // of pods, by the same id
    PackedView tags;  // likewise, as (number of the key's text, value); see for_each_tag
    ChunkView<Node> nodes;
    ChunkView<Application> applications;
    ChunkView<Shape> shapes;
    ChunkView<Queue> queues;
    ChunkView<QueueTally> tallies;  // by queue, from its start
    PartitionTally partition_tally;
    TextView texts;
    std::shared_ptr<const EndedList> completed;
    std::shared_ptr<const EndedList> rejected;
    PartitionFacts partition;  // null: there is one leaf, or no file was given yet
    std::vector<std::string> shims;
    std::uint32_t pod_count = 0;
    std::uint32_t node_count = 0;
    std::uint32_t application_count = 0;

    const ShapeFacts& shape(const Pod& pod) const { return *shapes.find(pod.shape)->facts; }
    // In the order in which the shim told them: each(key, value).
    template <typename Each>
    void for_each_tag(std::uint32_t pod, Each&& each) const {
        std::string_view left = tags.text(pod);
        std::uint32_t key = 0;
        std::string_view value;
        while (take_numbered(left, key, value)) {
            each(texts.text(key), value);
        }
    }
    std::size_t bytes()
        const;  // of its tables, most of which other versions share; without facts of nodes and applications

    // --- what follows
    std::span<const std::uint32_t> pods_on(std::uint32_t node) const { return derived().by_node.of(node); }
    std::span<const std::uint32_t> reserved_on(std::uint32_t node) const { return derived().reserved.of(node); }
    // Without foreign ones of no application.
    std::span<const std::uint32_t> pods_of(std::uint32_t application) const {
        return derived().by_application.of(application);
    }
    const std::vector<std::uint32_t>& nodes_by_name() const { return derived().nodes; }
    const std::vector<std::uint32_t>& applications_by_name() const { return derived().applications; }
    std::uint32_t node_named(std::string_view) const;  // kNobody: none
    const ApplicationSums& sums(std::uint32_t application) const { return derived().sums[application]; }
    const AmountList& capacity() const { return derived().capacity; }  // of all nodes

private:
    struct Derived {
        Groups by_node;
        Groups reserved;  // by node
        Groups by_application;
        std::vector<std::uint32_t> nodes;
        std::vector<std::uint32_t> applications;
        std::vector<ApplicationSums> sums;
        AmountList capacity;
    };
    const Derived& derived() const;
    void derive(Derived&) const;

    mutable std::once_flag once_;
    mutable Derived derived_;
};

using VersionPtr = std::shared_ptr<const Version>;

}  // namespace bayplan::read_model
