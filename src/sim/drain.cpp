// See drain.h. Source of the rules: Kubernetes 1.35's eviction.
#include "sim/drain.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube/node_match.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kStayShown = 20;

}  // namespace

Drain::Drain(const kube::ClusterDump& dump) : dump_(dump) {
    for (const std::string& name : dump.options().what_if.drain) {
        const Text id = dump.texts().find(name);
        nodes_.push_back({name});
        for (const kube::ClusterDump::Pod& pod : dump.bound_pods()) {
            if (id == 0 || pod.converted.ask.node != id) continue;
            if (pod.converted.ask.daemonset || pod.converted.ask.is_static) {
                ++nodes_.back().stays;
            } else {
                waiting_.push_back({&pod.converted, nodes_.size() - 1});
            }
        }
    }
    for (const ClusterObject& object : dump.objects()) {
        if (const auto* const budget = std::get_if<PodBudget>(&object)) budgets_.push_back(*budget);
    }
    changed_.resize(budgets_.size());
}

std::vector<std::size_t> Drain::budgets_of(const kube::ConvertedPod& pod) const {
    const PodSpec& spec = dump_.spec_of(pod);
    std::vector<std::size_t> found;
    for (std::size_t index = 0; index < budgets_.size(); ++index) {
        const PodBudget& budget = budgets_[index];
        if (budget.name_space == spec.name_space && budget.selector &&
            kube::matches(*budget.selector, spec.labels, dump_.texts())) {
            found.push_back(index);
        }
    }
    return found;
}

std::string Drain::refusal(const std::vector<std::size_t>& budgets) const {
    if (budgets.size() > 1) return "more than one budget selects it, which eviction refuses";
    if (budgets.empty() || budgets_[budgets.front()].disruptions_allowed > 0) return {};
    const PodBudget& budget = budgets_[budgets.front()];
    return fmt::format("budget {}/{} allows no disruption", dump_.texts().text(budget.name_space),
                       dump_.texts().text(budget.name));
}

std::vector<Drain::Eviction> Drain::next() {
    std::vector<Eviction> evictions;
    const std::int64_t now_s = dump_.newest_s();
    std::erase_if(waiting_, [&](const Waiting& one) {
        const std::vector<std::size_t> budgets = budgets_of(*one.pod);
        if (!refusal(budgets).empty()) return false;
        for (const std::size_t budget : budgets) {
            --budgets_[budget].disruptions_allowed;
            changed_[budget] = 1;
        }
        ++nodes_[one.node].evicted;
        const kube::ConvertedPod* replacement = nullptr;
        if (dump_.has_replacement(*one.pod)) {
            replacement = &replacements_.emplace_back(kube::replacement_of(*one.pod, now_s));
            budgets_of_replacement_.emplace(replacement->key, budgets);
        }
        evictions.push_back({one.pod, replacement});
        return true;
    });
    return evictions;
}

std::vector<PodBudget> Drain::take_changed_budgets() {
    std::vector<PodBudget> changed;
    for (std::size_t index = 0; index < budgets_.size(); ++index) {
        if (std::exchange(changed_[index], 0) != 0) changed.push_back(budgets_[index]);
    }
    return changed;
}

void Drain::placed(std::string_view pod) {
    const auto found = budgets_of_replacement_.find(pod);
    if (found == budgets_of_replacement_.end()) return;
    for (const std::size_t budget : found->second) {
        ++budgets_[budget].disruptions_allowed;
        changed_[budget] = 1;
    }
    budgets_of_replacement_.erase(found);
}

std::vector<std::string> Drain::lines() const {
    std::vector<std::string> lines;
    for (const Node& node : nodes_) {
        lines.push_back(fmt::format("node {} drained: {} pods evicted, {} of DaemonSets or static stay", node.name,
                                    node.evicted, node.stays));
    }
    for (std::size_t index = 0; index < std::min(waiting_.size(), kStayShown); ++index) {
        const Waiting& one = waiting_[index];
        lines.push_back(
            fmt::format("{} stays on {}: {}", one.pod->key, nodes_[one.node].name, refusal(budgets_of(*one.pod))));
    }
    if (waiting_.size() > kStayShown) {
        lines.push_back(fmt::format("and {} pods more stay", waiting_.size() - kStayShown));
    }
    return lines;
}

}  // namespace bayplan::sim
