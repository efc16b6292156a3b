// Nodes that an ask is not tried on: left out because of a victim there that does not go, and avoided for a
// time because the node refused the pod (R-NACK-4, R-ATTEMPT-12, R-VICTIM-7). Few asks have any.
//
// An ask has all of it in one entry, and there its excluded nodes as an attempt takes them: nothing is built for it.
// Thread: the engine's. Owner: World.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/sparse_table.h"
#include "cluster/excluded_nodes.h"

namespace bayplan {

class ExcludedByVictims {
    struct Reason {
        Slot slot = kNone<Slot>;
        AskId stuck = kNone<AskId>;
        bool operator==(const Reason&) const = default;
    };

public:
    struct Avoided {
        Slot slot = kNone<Slot>;
        std::int64_t until_ns = 0;
        bool operator==(const Avoided&) const = default;
        Slot at(std::int64_t now_ns) const { return now_ns < until_ns ? slot : kNone<Slot>; }
    };
    struct Entry {
        ExcludedNodes nodes;  // the slots of the reasons
        Avoided avoided;
        AskId ask = kNone<AskId>;
        std::vector<Reason> reasons;
        bool empty() const { return reasons.empty() && avoided.slot == kNone<Slot>; }
    };
    // Null: nothing is excluded, and nothing avoided. Valid until that changes.
    const Entry* of(AskId id) const { return entries_.find(id); }

    // --- because of a pod that is stuck there
    void exclude(AskId id, Slot slot, AskId stuck) {
        Entry& entry = make(id);
        entry.reasons.push_back({slot, stuck});
        entry.nodes.add(slot);
        excluded_for_[stuck].push_back(id);
    }
    // Undoes exclude() of just these.
    void let_in(AskId id, Slot slot, AskId stuck) {
        Entry& entry = *entries_.find(id);
        forget_last(entry.reasons, Reason{slot, stuck});
        left(entry, slot);
        give_up_if_empty(entry);
        const auto waiting = excluded_for_.find(stuck);
        forget_last(waiting->second, id);
        if (waiting->second.empty()) {
            excluded_for_.erase(waiting);
        }
    }
    bool any_excluded(AskId id) const {
        const Entry* const entry = of(id);
        return entry != nullptr && !entry->reasons.empty();
    }
    bool is_excluded(AskId id, Slot slot) const {
        const Entry* const entry = of(id);
        return entry != nullptr && entry->nodes.contains(slot);
    }
    bool is_excluded_for(AskId id, AskId stuck) const {
        const Entry* const entry = of(id);
        return entry != nullptr && std::any_of(entry->reasons.begin(), entry->reasons.end(),
                                               [&](const Reason& reason) { return reason.stuck == stuck; });
    }
    // A node comes as often as there are reasons.
    template <typename Each>
    void for_each_excluded(AskId id, Each&& each) const {
        if (const Entry* const entry = of(id)) {
            for (const Reason& reason : entry->reasons) {
                each(reason.slot);
            }
        }
    }

    // --- because it refused the pod
    // Takes the place of a former one. The ask waits: once it has a node, it is not tried anywhere.
    void avoid(AskId id, Slot slot, std::int64_t until_ns) { make(id).avoided = {slot, until_ns}; }
    // The node avoided, its time over or not; kNone: none. put_back() restores it.
    Avoided avoids(AskId id) const {
        const Entry* const entry = of(id);
        return entry == nullptr ? Avoided{} : entry->avoided;
    }
    void put_back(AskId id, const Avoided& before) {
        Entry& entry = make(id);
        entry.avoided = before;
        give_up_if_empty(entry);
    }
    // The node that the ask avoids now, or kNone.
    Slot avoided(AskId id, std::int64_t now_ns) const { return avoids(id).at(now_ns); }

    void ask_placed(AskId id) { put_back(id, {}); }
    void ask_gone(AskId id) {
        const Entry* const entry = of(id);
        if (entry == nullptr) {
            return;
        }
        for (const Reason& reason : entry->reasons) {
            if (const auto waiting = excluded_for_.find(reason.stuck); waiting != excluded_for_.end()) {
                std::erase(waiting->second, id);
                if (waiting->second.empty()) {
                    excluded_for_.erase(waiting);
                }
            }
        }
        entries_.remove(id);
    }
    // After its pods are gone, and with them the reasons to leave it out.
    void node_gone(Slot slot) {
        std::vector<AskId> avoiding;
        entries_.for_each([&](const Entry& entry) {
            if (entry.avoided.slot == slot) {
                avoiding.push_back(entry.ask);
            }
        });
        for (const AskId id : avoiding) {
            put_back(id, {});
        }
    }
    // The asks for which a node is left out because of the pod, and which: each(ask, slot).
    template <typename Each>
    void for_each_excluded_for(AskId stuck, Each&& each) const {
        const auto found = excluded_for_.find(stuck);
        std::vector<AskId> asks = found == excluded_for_.end() ? std::vector<AskId>() : found->second;
        std::sort(asks.begin(), asks.end());
        asks.erase(std::unique(asks.begin(), asks.end()), asks.end());
        for (const AskId id : asks) {
            for (const Reason& reason : of(id)->reasons) {
                if (reason.stuck == stuck) {
                    each(id, reason.slot);
                }
            }
        }
    }
    // A pod is gone: returns the asks for which a node was left out because of it, which is so no longer.
    std::vector<AskId> pod_gone(AskId pod) {
        const auto found = excluded_for_.find(pod);
        if (found == excluded_for_.end()) {
            return {};
        }
        std::vector<AskId> freed = std::move(found->second);
        excluded_for_.erase(found);
        for (const AskId id : freed) {
            if (Entry* const entry = entries_.find(id)) {  // null: it comes twice, with two nodes
                forget_reasons(*entry, pod);
            }
        }
        std::sort(freed.begin(), freed.end());
        return freed;
    }

private:
    Entry& make(AskId id) {
        Entry& entry = entries_.make(id);
        entry.ask = id;
        return entry;
    }
    void give_up_if_empty(const Entry& entry) {
        if (entry.empty()) {
            entries_.remove(entry.ask);
        }
    }
    void forget_reasons(Entry& entry, AskId stuck) {
        std::vector<Slot> slots;
        std::erase_if(entry.reasons, [&](const Reason& reason) {
            if (reason.stuck == stuck) {
                slots.push_back(reason.slot);
            }
            return reason.stuck == stuck;
        });
        for (const Slot slot : slots) {
            left(entry, slot);
        }
        give_up_if_empty(entry);
    }
    // A reason to exclude the node is gone: it is let in, unless there is another.
    static void left(Entry& entry, Slot slot) {
        if (std::none_of(entry.reasons.begin(), entry.reasons.end(),
                         [&](const Reason& reason) { return reason.slot == slot; })) {
            entry.nodes.remove(slot);
        }
    }
    template <typename Item>
    static void forget_last(std::vector<Item>& items, const Item& item) {
        items.erase(std::next(std::find(items.rbegin(), items.rend(), item)).base());
    }

    SparseTable<AskId, Entry> entries_;
    boost::unordered_flat_map<AskId, std::vector<AskId>>
        excluded_for_;  // by the pod that is stuck: asks with such a reason
};

}  // namespace bayplan
