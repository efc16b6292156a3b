// For one ask under its queues' guarantee: of which queues pods may go for it, up to which priority, and what those queues
// can spare (rules/guarantees.md).
//
// Thread: the engine's. Nothing that it was made from changes while it is used.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/seeded_hash.h"
#include "queue_tree/guarantees.h"

namespace bayplan::queue_tree {

class SparePods {
public:
    // `beside`: null, or amounts that count too. `within`: a queue of the leaf's path that only pods below may go of.
    SparePods(const QueueTable&, const Guarantees&, QueueId leaf, QueueId guarantor, std::int32_t priority,
              const HeldBeside* beside = nullptr, QueueId within = kRoot);

    // A pod of the leaf, of this priority, may be a victim.
    bool may_go(QueueId leaf, std::int32_t priority);
    // Its queues can spare it beside what was taken; then it is taken.
    bool take(QueueId leaf, Request);
    // Nothing is taken any more.
    void begin() { taken_.clear(); }

private:
    // A leaf as the ask sees it.
    struct Leaf {
        bool open = false;            // pods may go
        bool fenced = false;          // `rank` is that of all its pods; else it is added to their priority
        std::int64_t rank = 0;        // at the fork
        std::int64_t ask_rank = 0;    // likewise, of the ask
        std::vector<QueueId> queues;  // to below the fork, if their guarantee names anything
    };
    // A queue of the ask's path, and the ask's rank below it.
    struct Step {
        QueueId queue;
        std::int64_t rank = 0;
    };

    const Leaf& look(QueueId);
    bool is_in(QueueId, QueueId above) const;
    std::int64_t& taken(QueueId queue, std::uint32_t resource) {
        return taken_[std::uint64_t{raw(queue)} << 32 | resource];
    }

    const QueueTable& queues_;
    const Guarantees& guarantees_;
    const HeldBeside* const beside_;
    const QueueId leaf_;
    const QueueId guarantor_;
    QueueId scope_ = kRoot;
    std::vector<Step> path_;
    std::vector<std::uint32_t> places_;  // by queue: one more than its leaf's in `leaves_`; 0: it was not looked at
    std::vector<Leaf> leaves_;
    boost::unordered_flat_map<std::uint64_t, std::int64_t, NumberHash> taken_;
};

}  // namespace bayplan::queue_tree
