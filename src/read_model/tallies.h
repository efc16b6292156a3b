// Events ever, counted by queue, for metrics: numbers that only grow for as long as their queue is there.
//
//   placed    pods that got a node; of them are on nodes: now; the rest is gone again
//
// Of the time in which records were lost, pods are counted that are on nodes after it and were not before.
//
// Thread: the model's; entries that were handed out in a version are anybody's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "read_model/chunks.h"

namespace bayplan::read_model {

struct QueueTally {
    std::shared_ptr<const std::string> queue;  // its path; empty: of the one leaf of a partition without queues
    std::uint64_t placed = 0;
    std::uint64_t on_nodes = 0;
    std::uint64_t completed = 0;  // applications

    bool in_use() const { return queue != nullptr; }
};

// Of a partition.
struct PartitionTally {
    std::uint64_t placed_where_gone = 0;  // in queues that are not there any more
    // Applications.
    std::uint64_t came = 0;
    std::uint64_t accepted = 0;
    std::uint64_t rejected = 0;  // without a queue
    std::uint64_t completed = 0;
    std::uint64_t nodes_gone = 0;
};

class Tallies {
public:
    // --- who refers to the queue of a number: it is kept while it is there or an application is in it
    std::uint32_t join(std::string_view queue);  // an application; returns the number
    void leave(std::uint32_t tally);
    void queue_is_there(std::string_view queue);
    void queue_is_gone(std::string_view queue);

    // --- pods without foreign ones
    void enter_node(std::uint32_t tally, std::uint64_t pods = 1);
    void leave_node(std::uint32_t tally, std::uint64_t pods = 1) { tallies_.edit(tally).on_nodes -= pods; }
    void complete(std::uint32_t tally);

    // All will be told anew; has been told anew.
    void begin_again();
    void end_again();

    ChunkView<QueueTally> freeze() { return tallies_.freeze(); }
    PartitionTally& partition() { return partition_; }
    const PartitionTally& partition() const { return partition_; }

private:
    struct Reference {
        std::uint32_t number = 0;
        std::uint32_t applications = 0;
        bool queue = false;
        std::uint64_t on_nodes_before = 0;  // begin_again
    };
    using References = std::map<std::string, Reference, std::less<>>;

    References::iterator reference(std::string_view queue);
    void drop_if_unused(References::iterator);

    References references_;
    std::vector<std::uint32_t> free_;
    std::uint32_t end_ = 0;
    Chunks<QueueTally> tallies_;
    PartitionTally partition_;
    bool again_ = false;
};

}  // namespace bayplan::read_model
