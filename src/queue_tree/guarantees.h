// Guarantees of queues, and amounts that queues hold of them: a queue holds the requests of its asks and of asks of the
// queues below, as far as an ask holds anything (rules/guarantees.md).
//
// Thread: the engine's. Owner of queues, names and requests: the caller.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/seeded_hash.h"
#include "queue_tree/amounts.h"
#include "queue_tree/queue_table.h"

namespace bayplan::queue_tree {

// Amounts that queues hold beside what is counted, or hold no more if below 0: what a trial supposes.
class HeldBeside {
public:
    explicit HeldBeside(const QueueTable& queues) : queues_(queues) {}

    void clear() { amounts_.clear(); }
    // Of an ask of the leaf: it holds that too (+1), or not any more (-1).
    void add(QueueId leaf, Request request, int sign) {
        for (QueueId id = leaf; id != kNoQueue; id = queues_.parent(id)) {
            for (const Amount& amount : request) amounts_[key(id, amount.resource)] += sign * amount.value;
        }
    }
    std::int64_t of(QueueId id, std::uint32_t resource) const {
        const auto found = amounts_.find(key(id, resource));
        return found == amounts_.end() ? 0 : found->second;
    }

private:
    static std::uint64_t key(QueueId id, std::uint32_t resource) { return std::uint64_t{raw(id)} << 32 | resource; }

    const QueueTable& queues_;
    boost::unordered_flat_map<std::uint64_t, std::int64_t, NumberHash> amounts_;
};

class Guarantees {
public:
    Guarantees(const QueueTable& queues, ResourceNames& names, RequestTable& requests)
        : queues_(queues), names_(names), requests_(requests) {}

    // --- holding: O(path of the leaf)
    // From now on this, in place of what it held; false: it held that. The caller's use of the request is this table's.
    bool hold(AskId, QueueId leaf, RequestId);
    // Nothing; false: it held nothing.
    bool let_go(AskId);
    bool holds(AskId id) const { return raw(id) < holders_.size() && holders_[raw(id)].leaf != kNoQueue; }
    Request held_by(AskId id) const { return requests_[holders_[raw(id)].request]; }
    QueueId leaf_of(AskId id) const { return holders_[raw(id)].leaf; }
    std::int64_t held(QueueId id, std::uint32_t resource) const { return held_[raw(id)][resource]; }
    // From now on queues are noted whose asks hold anything anew, each once.
    void note_growth(bool);
    std::vector<QueueId> take_grown();

    // --- guarantees, as they stand after settle()
    void settle();
    // Some queue's guarantee names anything.
    bool any() const { return any_; }
    // The lowest queue of the path that names anything of the request; kNoQueue: none.
    QueueId guarantor(QueueId leaf, Request) const;
    // The queues of the path that count would hold no more than they name with the request, which an ask that holds
    // something asks for: `own`, which counts as let go of.
    bool covers(QueueId leaf, Request, Request own) const;
    bool covers(QueueId leaf, Request, const HeldBeside&) const;
    bool names(QueueId id, std::uint32_t resource) const { return guaranteed_[raw(id)][resource] != kNotNamed; }
    bool names_anything(QueueId id) const { return names_any_[raw(id)] != 0; }
    // Of a resource that it names: what it holds beyond; below 0: so much is lacking.
    std::int64_t beyond(QueueId id, std::uint32_t resource) const {
        return held_[raw(id)][resource] - guaranteed_[raw(id)][resource];
    }

private:
    struct Holder {
        QueueId leaf = kNoQueue;  // it holds nothing
        RequestId request{};
    };
    QueueId names_first(QueueId leaf, std::uint32_t resource) const;
    void add(const Holder&, int sign);
    void grow(QueueId leaf);
    void fit();

    const QueueTable& queues_;
    ResourceNames& names_;
    RequestTable& requests_;
    std::vector<Holder> holders_;  // by AskId
    AmountRows held_{0};
    AmountRows guaranteed_{kNotNamed};
    std::vector<std::uint8_t> names_any_;  // by queue
    std::vector<QueueId> grown_;
    std::vector<std::uint8_t> is_grown_;  // by queue
    bool notes_growth_ = false;
    bool any_ = false;
    std::uint64_t seen_version_ = std::numeric_limits<std::uint64_t>::max();  // of queues
};

}  // namespace bayplan::queue_tree
