// Nodes that an ask is not tried on: left out because of a victim there that does not go, and avoided for a
// time because the node refused the pod (engine/RULES.md, sections 2, 5 and 10). Few asks have any.
//
// Thread: the engine's. Owner: World.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"

namespace bayplan {

class NodesLeftOut {
public:
    void leave_out(AskId id, Slot slot, AskId stuck) { asks_[id].push_back({slot, stuck, 0}); }
    // Takes the place of a former one.
    void avoid(AskId id, Slot slot, std::int64_t until_ns) {
        forget(id, [](const Entry& entry) { return entry.stuck == kNone<AskId>; });
        asks_[id].push_back({slot, kNone<AskId>, until_ns});
    }

    bool any(AskId id) const { return asks_.contains(id); }
    bool is_left_out(AskId id, Slot slot) const {
        return has(id, [&](const Entry& entry) { return entry.slot == slot && entry.stuck != kNone<AskId>; });
    }
    // The node that the ask avoids now, or kNone.
    Slot avoided(AskId id, std::int64_t now_ns) const {
        const auto found = asks_.find(id);
        if (found != asks_.end()) {
            for (const Entry& entry : found->second) {
                if (entry.stuck == kNone<AskId> && now_ns < entry.until_ns) {
                    return entry.slot;
                }
            }
        }
        return kNone<Slot>;
    }
    template <typename Each>
    void for_each_left_out(AskId id, Each&& each) const {
        if (const auto found = asks_.find(id); found != asks_.end()) {
            for (const Entry& entry : found->second) {
                if (entry.stuck != kNone<AskId>) {
                    each(entry.slot);
                }
            }
        }
    }

    void ask_gone(AskId id) { asks_.erase(id); }
    void node_gone(Slot slot) {
        for (const AskId id : all()) {
            forget(id, [&](const Entry& entry) { return entry.slot == slot; });
        }
    }
    // A pod is gone: returns the asks for which a node was left out because of it, which is so no longer.
    std::vector<AskId> pod_gone(AskId pod) {
        std::vector<AskId> freed;
        for (const AskId id : all()) {
            if (has(id, [&](const Entry& entry) { return entry.stuck == pod; })) {
                forget(id, [&](const Entry& entry) { return entry.stuck == pod; });
                freed.push_back(id);
            }
        }
        return freed;
    }

private:
    struct Entry {
        Slot slot = kNone<Slot>;
        AskId stuck = kNone<AskId>;  // kNone: avoided until a time
        std::int64_t until_ns = 0;
    };

    template <typename Is>
    bool has(AskId id, Is&& is) const {
        const auto found = asks_.find(id);
        return found != asks_.end() && std::any_of(found->second.begin(), found->second.end(), is);
    }
    template <typename Is>
    void forget(AskId id, Is&& is) {
        if (const auto found = asks_.find(id); found != asks_.end()) {
            std::erase_if(found->second, is);
            if (found->second.empty()) {
                asks_.erase(found);
            }
        }
    }
    std::vector<AskId> all() const {
        std::vector<AskId> ids;
        for (const auto& [id, entries] : asks_) {
            ids.push_back(id);
        }
        std::sort(ids.begin(), ids.end());
        return ids;
    }

    boost::unordered_flat_map<AskId, std::vector<Entry>> asks_;
};

}  // namespace bayplan
