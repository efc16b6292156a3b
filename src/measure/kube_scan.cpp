// See kube_scan.h. Rules and arithmetic: src/engine/rules, predicates and scores.
#include "measure/kube_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace bayplan::measure {

namespace {

constexpr std::size_t kBlock = 64;
constexpr std::int64_t kScoreWeight = 2;     // of inter-pod affinity and of topology spread
constexpr std::int64_t kRequiredCounts = 1;  // a placed pod's required affinity, as a wish

bool matches(const std::optional<LabelSelector>& selector, const PodSpec& spec) {
    if (!selector) return false;
    return std::ranges::all_of(selector->requirements, [&](const LabelRequirement& requirement) {
        return std::ranges::any_of(spec.labels, [&](const Label& label) {
            return label.key == requirement.key &&
                   std::ranges::find(requirement.values, label.value) != requirement.values.end();
        });
    });
}

}  // namespace

KubeScan::KubeScan(const workload::KubeLoad& load) : load_(load), hostname_(text("kubernetes.io/hostname")) {
    add_nodes();
    for (const workload::PodStage& stage : load.init) add_template(stage);
    for (const workload::PodStage& stage : load.measured) add_template(stage);
    for (std::size_t which = 0; which < templates_.size(); ++which) compile(which);
    wished_.resize(load.nodes);
    spread_.resize(load.nodes);
}

Text KubeScan::text(std::string_view wanted) {
    return texts_.try_emplace(std::string(wanted), static_cast<Text>(texts_.size() + 1)).first->second;
}

// In the order of the engine's slots, which decides among equals: blocks of 64 nodes of a zone, in order of arrival.
void KubeScan::add_nodes() {
    for (std::uint32_t node = 0; node < load_.nodes; ++node) number_of_.push_back(node);
    const auto slot = [&](std::size_t node) {
        const std::size_t zone = node % load_.zones;
        const std::size_t place = node / load_.zones;
        return (place / kBlock * load_.zones + zone) * kBlock + place % kBlock;
    };
    std::ranges::sort(number_of_, {}, slot);
    for (const std::size_t number : number_of_) {
        zone_of_.push_back(number % load_.zones);
        cluster_.add_node({{"cpu", 4'000}, {"memory", std::int64_t{32} << 30}, {"pods", 110}});
    }
}

std::size_t KubeScan::add_template(const workload::PodStage& stage) {
    Template& added = templates_.emplace_back();
    added.spec = stage.make([this](std::string_view wanted) { return text(wanted); }, stage.name_space);
    added.name_space = stage.name_space;
    added.ask = cluster_.make_ask({{"cpu", 100}, {"memory", std::int64_t{500} << 20}, {"pods", 1}});
    return templates_.size() - 1;
}

std::vector<bool> KubeScan::met_by(const PodTerm& term) const {
    std::vector<bool> met;
    for (const Template& other : templates_) {
        const bool inside = std::ranges::find(term.namespaces, other.spec.name_space) != term.namespaces.end();
        met.push_back(inside && matches(term.selector, other.spec));
    }
    return met;
}

std::size_t KubeScan::counter_of(bool by_node, std::vector<bool> templates) {
    for (std::size_t i = 0; i < counters_.size(); ++i) {
        if (counters_[i].by_node == by_node && counters_[i].templates == templates) return i;
    }
    counters_.push_back(
        {by_node, std::move(templates), std::vector<std::int64_t>(by_node ? load_.nodes : load_.zones), 0});
    return counters_.size() - 1;
}

void KubeScan::compile(std::size_t which) {
    Template& mine = templates_[which];
    const PodSpec& spec = mine.spec;
    mine.zones.assign(load_.zones, true);
    if (spec.required_nodes) {
        const LabelRequirement& zones = spec.required_nodes->front().labels.front();
        for (std::uint32_t zone = 0; zone < load_.zones; ++zone) {
            const Text name = text(fmt::format("zone{}", zone + 1));
            mine.zones[zone] = std::ranges::find(zones.values, name) != zones.values.end();
        }
    }
    for (const PodTerm& term : spec.anti_affinity) {
        mine.forbidden.push_back(counter_of(by_node(term.topology_key), met_by(term)));
    }
    for (const PodTerm& term : spec.affinity) {
        const auto met = met_by(term);
        mine.needs.push_back({counter_of(by_node(term.topology_key), met), met[which]});
    }
    for (const WeightedPodTerm& wish : spec.preferred_affinity) {
        mine.wishes.push_back({counter_of(by_node(wish.term.topology_key), met_by(wish.term)), wish.weight});
    }
    for (const WeightedPodTerm& wish : spec.preferred_anti_affinity) {
        mine.wishes.push_back({counter_of(by_node(wish.term.topology_key), met_by(wish.term)), -wish.weight});
    }
    for (const SpreadConstraint& constraint : spec.spread) {
        PodTerm own;
        own.selector = constraint.selector;
        own.namespaces = {spec.name_space};
        const auto met = met_by(own);
        const std::size_t counter = counter_of(by_node(constraint.topology_key), met);
        if (constraint.hard) {
            mine.hard.push_back({counter, met[which] ? 1 : 0, constraint.max_skew});
        } else {
            mine.soft.push_back({counter, constraint.max_skew});
        }
    }
    for (std::size_t other = 0; other < templates_.size(); ++other) compile_others(which, other);
}

// Terms of another template's placed pods about this template's pods.
void KubeScan::compile_others(std::size_t which, std::size_t other) {
    std::vector<bool> owner(templates_.size(), false);
    owner[other] = true;
    const PodSpec& theirs = templates_[other].spec;
    const auto about = [&](const PodTerm& term) { return met_by(term)[which]; };
    const auto counter = [&](const PodTerm& term) { return counter_of(by_node(term.topology_key), owner); };
    Template& mine = templates_[which];
    for (const PodTerm& term : theirs.anti_affinity) {
        if (about(term)) mine.forbidden.push_back(counter(term));
    }
    for (const PodTerm& term : theirs.affinity) {
        if (about(term)) mine.wishes.push_back({counter(term), kRequiredCounts});
    }
    for (const WeightedPodTerm& wish : theirs.preferred_affinity) {
        if (about(wish.term)) mine.wishes.push_back({counter(wish.term), wish.weight});
    }
    for (const WeightedPodTerm& wish : theirs.preferred_anti_affinity) {
        if (about(wish.term)) mine.wishes.push_back({counter(wish.term), -wish.weight});
    }
}

std::int64_t KubeScan::pods_at(std::size_t counter, std::size_t node) const {
    const Counter& counted = counters_[counter];
    return counted.pods[counted.by_node ? node : zone_of_[node]];
}

bool KubeScan::allowed(const Template& mine, std::size_t node) const {
    if (!mine.zones[zone_of_[node]]) return false;
    for (const std::size_t counter : mine.forbidden) {
        if (pods_at(counter, node) > 0) return false;
    }
    for (const Need& need : mine.needs) {
        const bool first = need.self && counters_[need.counter].total == 0;
        if (!first && pods_at(need.counter, node) == 0) return false;
    }
    for (std::size_t i = 0; i < mine.hard.size(); ++i) {
        const Hard& hard = mine.hard[i];
        if (pods_at(hard.counter, node) + hard.self - least_[i] > hard.max_skew) return false;
    }
    return true;
}

void KubeScan::add_raws(const Template& mine, std::size_t node) {
    std::int64_t wished = 0;
    for (const Wish& wish : mine.wishes) wished += wish.weight * pods_at(wish.counter, node);
    wished_[node] = wished;
    wished_min_ = std::min(wished_min_, wished);
    wished_max_ = std::max(wished_max_, wished);
}

void KubeScan::set_spread(const Template& mine) {
    std::vector<bool> seen(load_.zones, false);
    for (const std::size_t node : feasible_) seen[zone_of_[node]] = true;
    const auto zones = static_cast<std::size_t>(std::ranges::count(seen, true));
    for (const std::size_t node : feasible_) {
        double sum = 0;
        for (const Soft& soft : mine.soft) {
            const std::size_t domains = counters_[soft.counter].by_node ? feasible_.size() : zones;
            const double weight = std::log(static_cast<double>(domains + 2));
            sum += static_cast<double>(pods_at(soft.counter, node)) * weight + static_cast<double>(soft.max_skew - 1);
        }
        spread_[node] = static_cast<std::int64_t>(std::round(sum));
        spread_min_ = std::min(spread_min_, spread_[node]);
        spread_max_ = std::max(spread_max_, spread_[node]);
    }
}

std::int64_t KubeScan::more_score(const Template& mine, std::size_t node) const {
    std::int64_t more = 0;
    if (!mine.wishes.empty() && wished_max_ > wished_min_) {
        const auto above = static_cast<double>(wished_[node] - wished_min_);
        more +=
            kScoreWeight * static_cast<std::int64_t>(100.0 * (above / static_cast<double>(wished_max_ - wished_min_)));
    }
    if (!mine.soft.empty()) {
        more +=
            kScoreWeight * (spread_max_ == 0 ? 100 : 100 * (spread_max_ + spread_min_ - spread_[node]) / spread_max_);
    }
    return more;
}

std::size_t KubeScan::find(const Template& mine) {
    least_.clear();
    for (const Hard& hard : mine.hard) least_.push_back(*std::ranges::min_element(counters_[hard.counter].pods));
    feasible_.clear();
    wished_min_ = spread_min_ = std::numeric_limits<std::int64_t>::max();
    wished_max_ = spread_max_ = std::numeric_limits<std::int64_t>::min();
    for (std::size_t node = 0; node < number_of_.size(); ++node) {
        if (!cluster_.fits(mine.ask, node) || !allowed(mine, node)) continue;
        feasible_.push_back(node);
        if (!mine.wishes.empty()) add_raws(mine, node);
    }
    if (!mine.soft.empty()) set_spread(mine);
    std::size_t best = ScanBaseline::kNoNode;
    std::int64_t best_score = -1;
    for (const std::size_t node : feasible_) {
        const std::int64_t score = cluster_.score(mine.ask, node) + more_score(mine, node);
        if (score > best_score) {
            best_score = score;
            best = node;
        }
    }
    return best;
}

void KubeScan::take(std::size_t which, std::size_t node) {
    cluster_.take(templates_[which].ask, node);
    for (Counter& counter : counters_) {
        if (!counter.templates[which]) continue;
        ++counter.pods[counter.by_node ? node : zone_of_[node]];
        ++counter.total;
    }
}

bool KubeScan::place_some(const workload::PodStage& stage, std::size_t which, std::uint32_t count) {
    for (std::uint32_t pod = 0; pod < count; ++pod) {
        const std::size_t node = find(templates_[which]);
        if (node == ScanBaseline::kNoNode) return false;
        take(which, node);
        hash_.add(fmt::format("{}/pod-{:06}", stage.name_space, ++last_pod_),
                  fmt::format("scheduler-perf-{:05}", number_of_[node]));
    }
    return true;
}

bool KubeScan::place_init() {
    for (std::size_t stage = 0; stage < load_.init.size(); ++stage) {
        if (!place_some(load_.init[stage], stage, load_.init[stage].pods)) return false;
    }
    return true;
}

bool KubeScan::place_measured() {
    for (const workload::PodMessage& message : workload::messages_of(load_.measured)) {
        if (!place_some(load_.measured[message.stage], load_.init.size() + message.stage, message.pods)) return false;
    }
    return true;
}

}  // namespace bayplan::measure
