// Clocks of queues that are over their maxima, and whom they send away, step by step as rules/quotas.md names the steps.
//
// Thread and errors: see oracle.h.
#include "oracle_quotas.h"

#include <algorithm>

#include "kube_judge.h"

namespace bayplan::oracle {

namespace {

bool is_in(const std::string& leaf, const std::string& path) { return leaf == path || leaf.starts_with(path + "."); }

bool is_among(const std::vector<const KubePod*>& pods, const Ask& ask) {
    return std::find(pods.begin(), pods.end(), &ask.pod) != pods.end();
}

}  // namespace

// --- when

bool QuotaRules::is_watched(const std::string& path) const {
    return oracle_.queues_.tree.queues.contains(path) && oracle_.options_.preemption.enabled &&
           oracle_.queues_.shrinks && oracle_.queues_.is_managed(path) && delay_of(queues_, path) > 0;
}

std::int64_t QuotaRules::delay_of(const GuaranteeRules& queues, const std::string& path) {
    return duration_in(queues.property(path, "quota.preemption.delay")).value_or(0);
}

// INT64_MAX: beyond all time.
std::int64_t QuotaRules::due(const GuaranteeRules& queues, const std::string& path, const OracleQueues::Clock& clock) {
    const std::int64_t delay = std::max(delay_of(queues, path), clock.in_vain ? 1'000'000'000 : std::int64_t{0});
    return delay > INT64_MAX - clock.since ? INT64_MAX : clock.since + delay;
}

QuotaRules::Resources QuotaRules::runs(const std::string& path, const Pods& without) const {
    Resources sum;
    for (const auto& [sequence, ask] : oracle_.asks_) {
        if (!ask.node.empty() && !ask.foreign && !ask.pod.terminating && is_in(queues_.leaf_of(ask), path) &&
            !is_among(without, ask)) {
            queue_config::add_to(sum, in_queues(ask.requests));
        }
    }
    return sum;
}

QuotaRules::Resources QuotaRules::excess_of(const std::string& path, const Pods& without) const {
    Resources over;
    Resources has = runs(path, without);
    for (const auto& [kind, most] : queues_.config(path).resources.max.or_none()) {
        if (has[kind] > most) {
            over[kind] = has[kind] - most;
        }
    }
    return over;
}

void QuotaRules::settle() {
    if (!oracle_.options_.queues || oracle_.anybody_holds_up()) {
        return;
    }
    auto& clocks = oracle_.queues_.clocks;
    std::erase_if(clocks, [&](const auto& one) { return !is_watched(one.first) || excess_of(one.first, {}).empty(); });
    for (const auto& [path, queue] : oracle_.queues_.tree.queues) {
        if (is_watched(path) && !excess_of(path, {}).empty() &&
            clocks.emplace(path, OracleQueues::Clock{oracle_.now_, false, oracle_.now_}).second) {
            oracle_.saw("a queue is over its maximum");
        }
    }
    const auto as_they_were = clocks;
    for (const auto& [path, clock] : as_they_were) {
        if (!excess_of(path, {}).empty() && due(queues_, path, clock) <= oracle_.now_) {
            clocks[path] = {oracle_.now_, !shrink(path), clock.began};
        }
        if (excess_of(path, {}).empty()) {
            clocks.erase(path);
        }
    }
}

std::int64_t QuotaRules::next_time(const Oracle& oracle) {
    std::int64_t next = INT64_MAX;
    if (!oracle.anybody_holds_up()) {
        const GuaranteeRules queues(oracle);
        for (const auto& [path, clock] : oracle.queues_.clocks) {
            next = clock.in_vain ? next : std::min(next, due(queues, path, clock));
        }
    }
    return next;
}

// --- whom

QuotaRules::Resources QuotaRules::part_of(const Ask& ask, const Resources& over) const {
    Resources part = in_queues(ask.requests);
    std::erase_if(part, [&](const auto& one) { return !over.contains(one.first); });
    return part;
}

bool QuotaRules::is_candidate(const Ask& ask, const std::string& path, const Resources& over) const {
    if (ask.pod.terminating || !has_it_for_good(ask) || ask.foreign || ask.is_static || ask.daemonset ||
        !is_in(queues_.leaf_of(ask), path) || part_of(ask, over).empty()) {
        return false;
    }
    if (queues_.property(queues_.leaf_of(ask), "preemption.policy") == "disabled") {
        oracle_.saw("a pod stays as its queue is not preempted, whatever its maximum");
        return false;
    }
    return true;
}

bool QuotaRules::queues_can_spare(const Ask& ask, const std::string& path, const Resources& over,
                                  const Pods& let_in) const {
    for (const std::string& queue : queues_.path_of(queues_.leaf_of(ask))) {
        if (is_in(path, queue)) {
            continue;
        }
        for (const auto& [kind, amount] : part_of(ask, over)) {
            const Resources& guaranteed = queues_.config(queue).resources.guaranteed.or_none();
            if (!guaranteed.contains(kind)) {
                continue;
            }
            std::int64_t left = queues_.held(queue, kind, nullptr) - amount;
            for (const KubePod* other : let_in) {
                const Ask& one = oracle_.asks_.at(other->sequence);
                left -= is_in(queues_.leaf_of(one), queue) ? in_queues(one.requests)[kind] : 0;
            }
            if (left < guaranteed.at(kind)) {
                return false;
            }
        }
    }
    return true;
}

// Least important first.
QuotaRules::Pods QuotaRules::candidates_for(const std::string& path, const Resources& over) const {
    Pods candidates;
    for (const auto& [sequence, ask] : oracle_.asks_) {
        if (is_candidate(ask, path, over)) {
            candidates.push_back(&ask.pod);
        }
    }
    std::sort(candidates.begin(), candidates.end(),
              [&](const KubePod* a, const KubePod* b) { return queues_.more_important(b, a); });
    return candidates;
}

// Most important first.
QuotaRules::Pods QuotaRules::let_in_for(const std::string& path, const Resources& over) {
    const Pods candidates = candidates_for(path, over);
    KubeState gangs;
    oracle_.show_gangs(gangs);
    Pods let_in;
    for (const KubePod* pod : candidates) {
        const auto gang = gangs.gang_of.find(pod);
        const bool counted = gang != gangs.gang_of.end() && gangs.gang_spare.contains(gang->second);
        if (counted && gangs.gang_spare[gang->second] == 0) {
            oracle_.saw("a pod stays as its gang cannot spare it, whatever its queue's maximum");
            continue;
        }
        if (!queues_can_spare(oracle_.asks_.at(pod->sequence), path, over, let_in)) {
            oracle_.saw("a pod stays as its queue is guaranteed it, whatever the maximum above");
            continue;
        }
        if (counted) {
            --gangs.gang_spare[gang->second];
        }
        let_in.push_back(pod);
    }
    let_gangs_in(path, over, candidates, let_in);
    std::sort(let_in.begin(), let_in.end(),
              [&](const KubePod* a, const KubePod* b) { return queues_.more_important(a, b); });
    return let_in;
}

QuotaRules::Pods QuotaRules::members_on_nodes(const std::string& gang) const {
    KubeState gangs;
    oracle_.show_gangs(gangs);
    Pods members;
    for (const auto& [pod, name] : gangs.gang_of) {
        if (name == gang) {
            members.push_back(pod);
        }
    }
    return members;
}

// By their most important pods, the least important first; pods are given so.
std::vector<std::string> QuotaRules::gangs_of(const Pods& pods) const {
    KubeState gangs;
    oracle_.show_gangs(gangs);
    std::vector<std::string> names;
    for (auto pod = pods.rbegin(); pod != pods.rend(); ++pod) {
        const auto gang = gangs.gang_of.find(*pod);
        if (gang != gangs.gang_of.end() && std::find(names.begin(), names.end(), gang->second) == names.end()) {
            names.push_back(gang->second);
        }
    }
    std::reverse(names.begin(), names.end());
    return names;
}

void QuotaRules::let_gangs_in(const std::string& path, const Resources& over, const Pods& candidates, Pods& let_in) {
    const auto is_in_list = [](const Pods& list, const KubePod* pod) {
        return std::find(list.begin(), list.end(), pod) != list.end();
    };
    whole_.clear();
    for (const std::string& gang : gangs_of(candidates)) {
        if (excess_of(path, let_in).empty()) {
            return;
        }
        Pods with_gang = let_in;
        bool may = true;
        const Pods members = members_on_nodes(gang);
        for (const KubePod* member : members) {
            may = may && is_in_list(candidates, member);
        }
        for (const KubePod* member : members) {
            if (may && !is_in_list(let_in, member)) {
                may = queues_can_spare(oracle_.asks_.at(member->sequence), path, over, with_gang);
                with_gang.push_back(member);
            }
        }
        for (const KubePod* member : may ? members : Pods()) {
            if (!is_in_list(let_in, member)) {
                whole_[member] = gang;
            }
        }
        let_in = may ? with_gang : let_in;
    }
}

// The queue would be over a kind that any of them asks for, with all of them and without others that go.
bool QuotaRules::is_needed(const Pods& pods, const std::string& path, const Resources& over, const Pods& going) const {
    Pods others = going;
    for (const KubePod* pod : pods) {
        std::erase(others, pod);
    }
    const Resources still = excess_of(path, others);
    return std::any_of(pods.begin(), pods.end(), [&](const KubePod* pod) {
        const Resources part = part_of(oracle_.asks_.at(pod->sequence), over);
        return std::any_of(part.begin(), part.end(), [&](const auto& one) { return still.contains(one.first); });
    });
}

// Gangs that go whole keep whole_; others are as if they had not been let in so. Pods are given by importance.
QuotaRules::Pods QuotaRules::without_spared_gangs(const std::string& path, const Resources& over, Pods going) {
    Pods upwards = going;
    std::reverse(upwards.begin(), upwards.end());
    std::vector<std::string> gangs = gangs_of(upwards);
    std::reverse(gangs.begin(), gangs.end());
    for (const std::string& gang : gangs) {
        Pods rest;
        for (const auto& [pod, name] : whole_) {
            if (name == gang) {
                rest.push_back(pod);
            }
        }
        if (rest.empty()) {
            continue;
        }
        if (is_needed(rest, path, over, going)) {
            oracle_.saw("a gang goes whole for a maximum");
            for (const KubePod* member : members_on_nodes(gang)) {
                whole_[member] = gang;
            }
            continue;
        }
        oracle_.saw("a gang that was to go whole for a maximum stays");
        for (const KubePod* pod : rest) {
            std::erase(going, pod);
            whole_.erase(pod);
        }
    }
    return going;
}

std::map<const KubePod*, bool> QuotaRules::violating_among(const Pods& let_in) const {
    std::map<const KubePod*, bool> violating;
    std::map<KubeName, std::int64_t> left;
    for (auto pod = let_in.rbegin(); pod != let_in.rend(); ++pod) {
        for (const auto& [name, budget] : oracle_.objects_.budgets) {
            left.emplace(name, budget.allowed);
            if (protects(budget, **pod) && --left[name] < 0) {
                violating[*pod] = true;
            }
        }
    }
    return violating;
}

// Most important first.
QuotaRules::Pods QuotaRules::victims_of(const std::string& path) {
    const Resources over = excess_of(path, {});
    Pods going = let_in_for(path, over);
    std::map<const KubePod*, bool> violating = violating_among(going);
    going = without_spared_gangs(path, over, going);
    Pods order = going;
    std::stable_sort(order.begin(), order.end(),
                     [&](const KubePod* a, const KubePod* b) { return violating[a] && !violating[b]; });
    for (const KubePod* pod : order) {
        if (whole_.contains(pod)) {
            continue;
        }
        if (!is_needed({pod}, path, over, going)) {
            std::erase(going, pod);
        } else if (violating[pod]) {
            oracle_.saw("a maximum goes before a budget");
        }
    }
    return going;
}

// --- what comes of it

// Whether anybody goes.
bool QuotaRules::shrink(const std::string& path) {
    const Pods victims = victims_of(path);
    oracle_.saw(victims.empty() ? "a queue over its maximum finds nobody" : "a queue shrinks");
    check(path, victims);
    const std::string why = "preempted for the maximum of " + path;
    for (const KubePod* pod : victims) {
        Ask& ask = oracle_.asks_.at(pod->sequence);
        ask.chosen = true;
        oracle_.count_end_anew(ask);
        oracle_.touch(ask);
        oracle_.take_from_budgets(ask.pod);
        ask.told_to_delete = why;
        oracle_.log_line("release", ask, ask.node, why);
        oracle_.decide(ask.shim, DecisionKind::released, ask.key, why, ask.node, Termination::preempted_by_scheduler);
    }
    if (!victims.empty()) {
        oracle_.wake(Oracle::Event::pod_changed);
        oracle_.settle_gangs();
    }
    if (!excess_of(path, {}).empty()) {
        oracle_.saw("a queue is still over its maximum");
    }
    return !victims.empty();
}

// None of them could stay, nor a gang that goes whole; and what is guaranteed is left where it was there.
void QuotaRules::check(const std::string& path, const Pods& victims) {
    const Resources over = excess_of(path, {});
    for (const KubePod* pod : victims) {
        const Ask& ask = oracle_.asks_.at(pod->sequence);
        const Pods together = whole_.contains(pod) ? members_on_nodes(whole_.at(pod)) : Pods{pod};
        if (!is_needed(together, path, over, victims)) {
            oracle_.broken_at_commit_.push_back("R-QUOTA-17: " + ask.key + " could have stayed in " + path);
        }
        Pods without = victims;
        std::erase(without, pod);
        if (!queues_can_spare(ask, path, over, without)) {
            oracle_.broken_at_commit_.push_back("R-QUOTA-13: a guarantee cannot spare " + ask.key);
        }
        if (ask.opted_out || ask.originator) {
            oracle_.saw("an opted-out pod, or an owner of others, goes for a maximum");
        }
    }
}

std::optional<std::optional<std::int64_t>> Oracle::over_since(const std::string& path) const {
    if (anybody_holds_up()) {
        return std::nullopt;
    }
    const auto clock = queues_.clocks.find(path);
    return clock == queues_.clocks.end() ? std::optional<std::int64_t>() : clock->second.began;
}

}  // namespace bayplan::oracle
