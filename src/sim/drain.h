// Nodes that are drained while a simulation places pods: their pods are evicted as budgets allow, and their owners make others in
// their place; a replacement that has a node gives its budget one disruption back.
//
// Thread: one. The dump must outlive it; owns the replacements.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/cluster_dump.h"

namespace bayplan::sim {

class Drain {
public:
    // Its nodes: as the dump's what_if says.
    explicit Drain(const kube::ClusterDump&);

    struct Eviction {
        const kube::ConvertedPod* pod;
        const kube::ConvertedPod* replacement;  // null: its owner makes none, or it has none
    };
    // The pods that may go now; budgets are charged. Empty: nothing more can be evicted as it stands.
    std::vector<Eviction> next();
    // Budgets that changed since they were taken last.
    std::vector<PodBudget> take_changed_budgets();
    void placed(std::string_view pod);

    // Its outcome: a line for each node, and for pods that stay.
    std::vector<std::string> lines() const;

private:
    struct Waiting {
        const kube::ConvertedPod* pod;
        std::size_t node;
    };
    struct Node {
        std::string name;
        std::size_t evicted = 0;
        std::size_t stays = 0;  // pods of DaemonSets, and static ones
    };
    std::vector<std::size_t> budgets_of(const kube::ConvertedPod&) const;
    // "" or why it may not go.
    std::string refusal(const std::vector<std::size_t>& budgets) const;

    const kube::ClusterDump& dump_;
    std::vector<Node> nodes_;
    std::vector<Waiting> waiting_;
    std::vector<PodBudget> budgets_;
    std::vector<char> changed_;  // by budget
    std::deque<kube::ConvertedPod> replacements_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> budgets_of_replacement_;
};

}  // namespace bayplan::sim
