// See awkward_preemption.h.
#include "workload/awkward_preemption.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace bayplan::workload {

namespace {

constexpr std::uint32_t kPodsOfAnApplication = 500;

PreemptionLoad full_of_small_pods(std::string_view shape, std::uint32_t nodes) {
    PreemptionLoad load;
    load.name = "Awkward/" + std::string(shape) + "/" + std::to_string(nodes) + "Nodes";
    load.nodes = nodes;
    load.pods_per_node = nodes >= 100'000 ? 10 : 20;
    load.node_cpu = load.pods_per_node * load.pod_cpu;
    load.preemptors = nodes >= 100'000 ? 300 : nodes >= 5'000 ? 3'000 : nodes / 4;
    return load;
}

}  // namespace

std::vector<PreemptionLoad> awkward_preemption(std::uint32_t nodes) {
    PreemptionLoad budgets = full_of_small_pods("Budgets", nodes);
    budgets.applications = std::max(4u, nodes * budgets.pods_per_node / kPodsOfAnApplication);
    budgets.budget_allows = 1;

    PreemptionLoad roomy = budgets;
    roomy.name = "Awkward/RoomyBudgets/" + std::to_string(nodes) + "Nodes";
    roomy.budget_allows = kPodsOfAnApplication / 4;
    roomy.classes = 10;

    PreemptionLoad apart = full_of_small_pods("AntiAffinity", nodes);
    apart.groups_apart = 10;
    apart.classes = 10;

    PreemptionLoad full = full_of_small_pods("Full", nodes);
    full.preemptors = nodes >= 5'000 ? 1'000 : 20;
    full.nobody_below = true;
    return {budgets, roomy, apart, full};
}

}  // namespace bayplan::workload
