// Nodes that an ask is not tried on: left out because of a victim there that does not go, and avoided for a
// time because the node refused the pod (R-NACK-4, R-ATTEMPT-12, R-VICTIM-7). Few asks have any.
//
// Thread: the engine's. Owner: World.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"

namespace bayplan {

class ExcludedByVictims {
public:
    // --- because of a pod that is stuck there
    void exclude(AskId id, Slot slot, AskId stuck) {
        excluded_[id].push_back({slot, stuck});
        excluded_for_[stuck].push_back(id);
    }
    // Undoes exclude() of just these.
    void let_in(AskId id, Slot slot, AskId stuck) {
        forget_one(excluded_, id, Excluded{slot, stuck});
        forget_one(excluded_for_, stuck, id);
    }
    bool any_excluded(AskId id) const { return excluded_.contains(id); }
    bool is_excluded(AskId id, Slot slot) const {
        const auto found = excluded_.find(id);
        return found != excluded_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                       [&](const Excluded& entry) { return entry.slot == slot; });
    }
    template <typename Each>
    void for_each_excluded(AskId id, Each&& each) const {
        if (const auto found = excluded_.find(id); found != excluded_.end()) {
            for (const Excluded& entry : found->second) {
                each(entry.slot);
            }
        }
    }

    // --- because it refused the pod
    struct Avoided {
        Slot slot = kNone<Slot>;
        std::int64_t until_ns = 0;
        bool operator==(const Avoided&) const = default;
    };
    // Takes the place of a former one. The ask waits: once it has a node, it is not tried anywhere.
    void avoid(AskId id, Slot slot, std::int64_t until_ns) { avoided_[id] = {slot, until_ns}; }
    bool none_avoided() const { return avoided_.empty(); }
    // Whatever its time; kNone: nothing. And back to that.
    Avoided avoids(AskId id) const {
        const auto found = avoided_.find(id);
        return found == avoided_.end() ? Avoided{} : found->second;
    }
    void put_back(AskId id, const Avoided& before) {
        avoided_.erase(id);
        if (before.slot != kNone<Slot>) {
            avoided_.emplace(id, before);
        }
    }
    // The node that the ask avoids now, or kNone.
    Slot avoided(AskId id, std::int64_t now_ns) const {
        const auto found = avoided_.find(id);
        return found != avoided_.end() && now_ns < found->second.until_ns ? found->second.slot : kNone<Slot>;
    }

    void ask_placed(AskId id) { avoided_.erase(id); }
    void ask_gone(AskId id) {
        avoided_.erase(id);
        if (const auto found = excluded_.find(id); found != excluded_.end()) {
            for (const Excluded& entry : found->second) {
                forget(excluded_for_, entry.stuck, [&](AskId other) { return other == id; });
            }
            excluded_.erase(found);
        }
    }
    // After its pods are gone, and with them the reasons to leave it out.
    void node_gone(Slot slot) {
        erase_if(avoided_, [&](const auto& entry) { return entry.second.slot == slot; });
    }
    // The asks for which a node is left out because of the pod, and which: each(ask, slot).
    template <typename Each>
    void for_each_excluded_for(AskId stuck, Each&& each) const {
        const auto found = excluded_for_.find(stuck);
        std::vector<AskId> asks = found == excluded_for_.end() ? std::vector<AskId>() : found->second;
        std::sort(asks.begin(), asks.end());
        asks.erase(std::unique(asks.begin(), asks.end()), asks.end());
        for (const AskId id : asks) {
            for (const Excluded& entry : excluded_.at(id)) {
                if (entry.stuck == stuck) {
                    each(id, entry.slot);
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
            forget(excluded_, id, [&](const Excluded& entry) { return entry.stuck == pod; });
        }
        std::sort(freed.begin(), freed.end());
        return freed;
    }

private:
    struct Excluded {
        Slot slot = kNone<Slot>;
        AskId stuck = kNone<AskId>;
        bool operator==(const Excluded&) const = default;
    };
    template <typename Value>
    using ByAsk = boost::unordered_flat_map<AskId, Value>;

    template <typename List, typename Is>
    static void forget(ByAsk<List>& lists, AskId id, Is&& is) {
        if (const auto found = lists.find(id); found != lists.end()) {
            std::erase_if(found->second, is);
            if (found->second.empty()) {
                lists.erase(found);
            }
        }
    }

    // The last that equals it.
    template <typename List, typename Item>
    static void forget_one(ByAsk<List>& lists, AskId id, const Item& item) {
        const auto found = lists.find(id);
        const auto last = std::find(found->second.rbegin(), found->second.rend(), item);
        found->second.erase(std::next(last).base());
        if (found->second.empty()) {
            lists.erase(found);
        }
    }

    ByAsk<std::vector<Excluded>> excluded_;
    ByAsk<std::vector<AskId>> excluded_for_;  // by the pod that is stuck: the asks with such an entry
    ByAsk<Avoided> avoided_;
};

}  // namespace bayplan
