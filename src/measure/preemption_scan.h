// The peer of preemption: for every pod that fits nowhere, each node's pods are taken away and put back one by one, and
// the nodes compared by Kubernetes' list (R-PREEMPT-19). No index, nothing remembered, one thread.
// Its input is the messages of a PreemptionShim. It knows amounts, priorities, start times, a budget for each spec, and specs
// of which no two pods may share a node; its preemptors must fit nowhere while victims go, and be of one priority.
//
// Thread: its owner's. Owns all node state. Shares no code with src/engine or src/preemption.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bayplan/messages.h"
#include "measure/scan_baseline.h"

namespace bayplan::measure {

class PreemptionScan {
public:
    void apply(const Input&);

    // A victim search for every pod asked for, in order. False: one of them needed none, or found none.
    bool nominate_all();
    // Likewise where nobody may go for any of them. False: somebody may.
    bool refuse_all();
    // Over pods with their nodes, each followed by its victims.
    const PlacementHash& nominations() const { return nominations_; }

private:
    static constexpr std::size_t kResources = 3;  // cpu, memory, pods
    using Room = std::array<std::int64_t, kResources>;

    struct Pod {
        Room amounts{};
        std::int64_t started_ms = 0;
        std::int32_t priority = 0;
        std::uint32_t number = 0;  // of its key
        SpecNumber spec = 0;
    };
    struct Node {
        std::string name;
        Room free{};               // without the amounts of pods (terminating too) and of nominated pods
        Room spared{};             // without the amounts of nominated pods alone
        std::vector<Pod> pods;     // most important first
        std::vector<char> leaves;  // 1: the pod was told to go
        std::vector<SpecNumber> nominated;
    };
    // The cost of preemption on a node; smaller is better, field by field.
    struct Price {
        std::int64_t violations = 0;
        std::int64_t highest_priority = 0;
        std::int64_t sum = 0;
        std::int64_t count = 0;
        std::int64_t latest_start = 0;  // negated
        auto operator<=>(const Price&) const = default;
    };

    void take(const DefineMessage&);
    void take(const NodesMessage&);
    void take(const AsksMessage&);
    void take(const SpecsMessage&);
    void take(const ObjectsMessage&);
    void find_pools();
    void find_violating(const Node&);
    bool keeps_off(const Pod& ask, const Node&) const;
    Room room_of(std::span<const Amount>) const;
    bool nominate(const Pod&);
    // The price of the ask on the node; `victims`: filled. Empty victims: none would make it fit.
    Price search(const Pod& ask, const Node&, std::vector<std::size_t>& victims);

    std::unordered_map<DictId, std::string> names_;
    std::unordered_map<DictId, std::size_t> resources_;
    std::unordered_map<DictId, std::size_t> node_ids_;
    std::vector<std::string> keys_;
    std::vector<Node> nodes_;
    std::vector<Pod> asked_;
    std::vector<DictId> labels_;      // by spec
    std::vector<char> stays_apart_;   // by spec
    std::vector<std::int64_t> left_;  // by spec; of a budget
    std::vector<std::int64_t> counts_;
    std::vector<char> violating_;  // by pod of the node under judgement
    bool any_budget_ = false;
    PlacementHash nominations_;
};

}  // namespace bayplan::measure
