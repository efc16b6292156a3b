// An engine's state of one shim.
//
// Thread: the engine's. Owned by the ShimTable; entries are never removed (a shim that comes back must
// find its state).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "apps/ask_index.h"
#include "apps/ask_list.h"
#include "base/ids.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "labels/term_crowds.h"
#include "options/engine_options.h"
#include "shims/decision_ledger.h"
#include "shims/dictionary.h"
#include "shims/keys_of_shim.h"
#include "shims/nodes_of_shim.h"
#include "shims/resync_hold.h"

namespace bayplan {

// A spec that numbers or asks of a shim have.
struct SpecUse {
    std::uint32_t times = 0;
    std::uint64_t bytes = 0;
};

struct Shim {
    Shim(std::string_view identity, const ShimRights& granted, ResourceTable& resources, const AskTable& all)
        : name(identity), rights(granted), dictionary(resources), asks(all) {}

    const std::string name;  // common name of its certificate
    const ShimRights rights;
    std::uint64_t instance = 0;
    ConnectionId connection = 0;  // 0 = none
    Dictionary dictionary;
    std::uint64_t applied = 0;            // last state message
    std::uint64_t announced_applied = 0;  // to the teller
    bool must_resync = false;
    bool resync_open = false;
    bool resync_begun = false;
    ResyncHold hold;                                                            // while its resync is open
    boost::unordered_flat_set<std::string, TextHash, std::equal_to<>> plugins;  // that it serves
    bool gives_claims_back = false;                                             // when it is told to
    bool judges_victims = false;  // its plugins say whom its asks may preempt
    std::uint32_t queries = 0;    // open
    std::uint32_t kinds = 0;      // of resources that it named first
    NodesOfShim nodes;
    SplitMap<SpecNumber, SpecId, NumberHash> specs;  // with a reference each
    // Their numbers were forgotten by the last hello; they go, the last first, as its resync begins. With a reference each.
    std::vector<SpecId> left_over_specs;
    SplitMap<SpecId, SpecUse, NumberHash> spec_uses;  // of all but the empty one
    TermCrowds terms;                                 // of spec_uses
    KeysOfShim topology_keys;                         // of spec_uses
    std::uint64_t bytes = 0;  // of all that it has stated, and of decisions that it has not acknowledged
    DecisionLedger ledger;
    std::map<std::string, ApplicationId, std::less<>> applications;
    AskIndex asks;
    AskList<InApplication> loose;  // foreign pods of no application, by sequence number
};

class ShimTable {
public:
    ShimTable(ResourceTable& resources, const AskTable& asks) : resources_(resources), asks_(asks) {}

    Shim& operator[](ShimId id) { return shims_[raw(id)]; }
    const Shim& operator[](ShimId id) const { return shims_[raw(id)]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(shims_.size()); }

    // kNone if never seen.
    ShimId find(std::string_view name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? kNone<ShimId> : found->second;
    }
    ShimId add(std::string_view name, const ShimRights& rights) {
        BP_CHECK_OP(shims_.size(), <, kShimsMax);
        shims_.emplace_back(name, rights, resources_, asks_);
        const auto id = static_cast<ShimId>(shims_.size() - 1);
        by_name_.emplace(shims_.back().name, id);
        return id;
    }

    // The shim whose current connection this is, or kNone.
    ShimId of_connection(ConnectionId connection) const {
        const auto found = by_connection_.find(connection);
        return found == by_connection_.end() ? kNone<ShimId> : found->second;
    }
    void connect(ShimId id, ConnectionId connection) {
        disconnect(id);
        shims_[raw(id)].connection = connection;
        by_connection_[connection] = id;
    }
    void disconnect(ShimId id) {
        by_connection_.erase(shims_[raw(id)].connection);
        shims_[raw(id)].connection = 0;
    }

private:
    ResourceTable& resources_;
    const AskTable& asks_;
    std::deque<Shim> shims_;
    std::map<std::string, ShimId, std::less<>> by_name_;
    boost::unordered_flat_map<ConnectionId, ShimId> by_connection_;
};

}  // namespace bayplan
