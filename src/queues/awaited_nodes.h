// Pods that run, by their shim's word, on a node that nobody has registered: kept by that node's name until
// somebody does. They are in no heap and hold nothing. Source: rules/asks.md, from R-ASK-34 on.
//
// Thread: the engine's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "apps/ask_list.h"
#include "apps/ask_table.h"
#include "base/ids.h"
#include "base/name_table.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"

namespace bayplan {

class AwaitedNodes {
public:
    AwaitedNodes(AskTable& asks, NameTable<NameId>& names) : asks_(asks), names_(names) {}

    void insert(AskId id, std::string_view node) {
        const NameId name = names_.acquire(node);
        node_of_.emplace(id, name);
        Waiting& waiting = waiting_[name];
        waiting.asks.push_back(asks_, id);
        ++waiting.count;
    }

    void remove(AskId id) {
        const NameId name = node_of_.at(id);
        const auto waiting = waiting_.find(name);
        waiting->second.asks.remove(asks_, id);
        if (--waiting->second.count == 0) {
            waiting_.erase(waiting);
        }
        node_of_.erase(id);
        names_.release(name);
    }

    std::string_view node_of(AskId id) const { return names_.text(node_of_.at(id)); }
    std::size_t size() const { return node_of_.size(); }
    std::size_t count_for(std::string_view node) const {
        const auto waiting = waiting_.find(names_.find(node));
        return waiting == waiting_.end() ? 0 : waiting->second.count;
    }

    // The asks that wait for this node, in order of sequence number.
    std::vector<AskId> waiting_for(std::string_view node) const {
        std::vector<AskId> asks;
        const auto waiting = waiting_.find(names_.find(node));
        if (waiting == waiting_.end()) {
            return asks;
        }
        const AskList<InWaiting>& list = waiting->second.asks;
        for (AskId id = list.front(); id != kNone<AskId>; id = list.next(asks_, id)) {
            asks.push_back(id);
        }
        std::sort(asks.begin(), asks.end(), [&](AskId a, AskId b) { return asks_[a].sequence < asks_[b].sequence; });
        return asks;
    }

private:
    struct Waiting {
        AskList<InWaiting> asks;
        std::size_t count = 0;
    };

    AskTable& asks_;
    NameTable<NameId>& names_;  // a reference for each ask
    SplitMap<AskId, NameId, NumberHash> node_of_;
    SplitMap<NameId, Waiting, NumberHash> waiting_;
};

}  // namespace bayplan
