// The search for victims in queues over their guarantees, step by step as rules/guarantees.md names the steps.
//
// Thread and errors: see oracle.h.
#include "oracle_guarantees.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "kube_judge.h"
#include "oracle_look.h"

namespace bayplan::oracle {

namespace {

using queue_config::Resources;

const Resources& guarantee_of(const queue_config::QueueConfig& config) { return config.resources.guaranteed.or_none(); }

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool is_below(const std::string& leaf, const std::string& path) { return leaf == path || leaf.starts_with(path + "."); }

std::int64_t amount_of(const Resources& amounts, const std::string& kind) {
    const auto found = amounts.find(kind);
    return found == amounts.end() ? 0 : found->second;
}

// 0: nobody opted out, nor owns other pods.
int class_of(const Ask& ask) { return ask.opted_out ? 2 : ask.originator ? 1 : 0; }

bool is_going(const KubePod& pod) { return pod.terminating && !pod.stuck; }

}  // namespace

// --- words

const queue_config::QueueConfig& GuaranteeRules::config(const std::string& path) const {
    return oracle_.queues_.tree.queues.at(path).config;
}

std::string GuaranteeRules::property(const std::string& path, const std::string& name) const {
    const auto& properties = config(path).properties;
    const auto found = properties.find(name);
    return found == properties.end() ? "" : lower(found->second);
}

std::string GuaranteeRules::leaf_of(const Ask& ask) const {
    const auto found = oracle_.queues_.applications.find({ask.shim, ask.application});
    return ask.foreign || found == oracle_.queues_.applications.end() ? "" : found->second.leaf;
}

std::vector<std::string> GuaranteeRules::path_of(std::string leaf) {
    std::vector<std::string> path{leaf};
    for (std::size_t dot = leaf.rfind('.'); dot != std::string::npos; dot = leaf.rfind('.')) {
        leaf.resize(dot);
        path.push_back(leaf);
    }
    return path;
}

// The queues of the leaf's path that the other leaf is not below.
std::vector<std::string> GuaranteeRules::below_fork(const std::string& leaf, const std::string& other) const {
    std::vector<std::string> path = path_of(leaf);
    std::erase_if(path, [&](const std::string& one) { return is_below(other, one); });
    return path;
}

std::int64_t GuaranteeRules::rank(const Ask& ask, const std::string& at_fork_with) const {
    std::int64_t rank = ask.priority;
    for (const std::string& queue : below_fork(leaf_of(ask), at_fork_with)) {
        const std::string stated = property(queue, "priority.offset");
        const std::int64_t offset = stated.empty() ? 0 : std::stoll(stated);
        rank = (property(queue, "priority.policy") == "fence" ? 0 : rank) + offset;
    }
    return rank;
}

std::string GuaranteeRules::scope_of(const std::string& leaf) const {
    for (const std::string& queue : path_of(leaf)) {
        if (property(queue, "preemption.policy") == "fence" || queue == within_) {
            return queue;
        }
    }
    return "root";
}

std::int64_t GuaranteeRules::held(const std::string& path, const std::string& kind, const Ask* except) const {
    std::int64_t sum = 0;
    for (const auto& [sequence, ask] : oracle_.asks_) {
        const bool nominated = !ask.nominated_node.empty() && !let_go_.contains(sequence);
        const bool counts = ask.node.empty() ? nominated : !ask.pod.terminating;
        if (counts && &ask != except && !ask.foreign && is_below(leaf_of(ask), path)) {
            sum += amount_of(in_queues(ask.requests), kind);
        }
    }
    return sum;
}

std::string GuaranteeRules::guarantor_of(const Ask& ask) const {
    for (const std::string& queue : path_of(leaf_of(ask))) {
        for (const auto& [kind, amount] : in_queues(ask.requests)) {
            if (guarantee_of(config(queue)).contains(kind)) {
                return queue;
            }
        }
    }
    return "";
}

bool GuaranteeRules::any_guarantee() const {
    const auto& queues = oracle_.queues_.tree.queues;
    return std::any_of(queues.begin(), queues.end(),
                       [](const auto& one) { return !guarantee_of(one.second.config).empty(); });
}

// --- when

bool GuaranteeRules::concerns(const Ask& ask) const { return !ask.coscheduled() && concerns_member(ask); }

bool GuaranteeRules::concerns_member(const Ask& ask) const {
    const bool on =
        oracle_.options_.queues && oracle_.options_.preemption.guarantee && oracle_.queues_.preempts_between_queues;
    if (!on || ask.foreign || oracle_.is_daemon_pod(ask) || guarantor_of(ask).empty()) {
        return false;
    }
    for (const auto& [kind, amount] : in_queues(ask.requests)) {
        for (const std::string& queue : path_of(leaf_of(ask))) {
            if (!guarantee_of(config(queue)).contains(kind)) {
                continue;
            }
            if (held(queue, kind, &ask) + amount > guarantee_of(config(queue)).at(kind)) {
                return false;
            }
            break;
        }
    }
    return true;
}

std::int64_t GuaranteeRules::delay_of(const Ask& ask) const {
    const auto stated = duration_in(property(leaf_of(ask), "preemption.delay"));
    return stated.value_or(0) > 0 ? *stated : 30'000'000'000;
}

// --- whom

bool GuaranteeRules::is_candidate(const Ask& pod, const Ask& ask) const {
    const std::string leaf = leaf_of(pod);
    const std::string own = leaf_of(ask);
    if (pod.pod.terminating || !has_it_for_good(pod) || pod.foreign || pod.is_static || pod.daemonset ||
        is_below(leaf, guarantor_of(ask)) || leaf == own || rank(pod, own) > rank(ask, leaf)) {
        return false;
    }
    if (!is_below(leaf, scope_of(own))) {
        oracle_.saw("a pod beyond a fence stays");
        return false;
    }
    if (property(leaf, "preemption.policy") == "disabled") {
        oracle_.saw("a pod of a queue that is not preempted stays");
        return false;
    }
    return true;
}

bool GuaranteeRules::is_spared_by_queues(const Ask& pod, const Ask& ask, const Pods& let_in) const {
    const Resources has = in_queues(pod.requests);
    for (const std::string& queue : below_fork(leaf_of(pod), leaf_of(ask))) {
        for (const auto& [kind, named] : guarantee_of(config(queue))) {
            if (!has.contains(kind)) {
                continue;
            }
            std::int64_t left = held(queue, kind, nullptr) - has.at(kind);
            for (const KubePod* other : let_in) {
                const Ask& one = oracle_.asks_.at(other->sequence);
                left -= is_below(leaf_of(one), queue) ? amount_of(in_queues(one.requests), kind) : 0;
            }
            if (left < named) {
                return false;
            }
        }
    }
    return true;
}

bool GuaranteeRules::more_important(const KubePod* a, const KubePod* b) const {
    const auto rank_of = [&](const KubePod& one) {  // smaller: more important
        const int victim_class = is_going(one) ? -1 : class_of(oracle_.asks_.at(one.sequence));
        const std::int64_t start = one.started_ms == 0 ? INT64_MAX : one.started_ms;
        const bool by_qos = oracle_.options_.preemption.victim_order == VictimOrder::qos;
        return std::tuple(-victim_class, -std::int64_t{one.priority}, by_qos ? -one.qos_rank : 0, start, one.key,
                          one.sequence);
    };
    return rank_of(*a) < rank_of(*b);
}

// Pods let in, most important first.
GuaranteeRules::Pods GuaranteeRules::pool_on(const Ask& ask, const KubeState& state, const std::string& node,
                                             Pods& going) const {
    Pods candidates;
    for (const KubePod* pod : state.pods) {
        if (pod->node == node && is_going(*pod)) {
            going.push_back(pod);
        } else if (pod->node == node && is_candidate(oracle_.asks_.at(pod->sequence), ask)) {
            candidates.push_back(pod);
        }
    }
    const auto by_importance = [&](const KubePod* a, const KubePod* b) { return more_important(a, b); };
    std::sort(going.begin(), going.end(), by_importance);
    std::sort(candidates.begin(), candidates.end(), by_importance);
    std::reverse(candidates.begin(), candidates.end());
    std::map<std::string, std::int64_t> spare = state.gang_spare;
    Pods let_in;
    for (const KubePod* pod : candidates) {
        const auto gang = state.gang_of.find(pod);
        const bool counted = gang != state.gang_of.end() && spare.contains(gang->second);
        if (!is_spared_by_queues(oracle_.asks_.at(pod->sequence), ask, let_in)) {
            oracle_.saw("a pod that its queue cannot spare stays");
            continue;
        }
        if (counted && spare[gang->second] == 0) {
            oracle_.saw("a pod that its gang cannot spare stays");
            continue;
        }
        if (counted) {
            --spare[gang->second];
        }
        let_in.push_back(pod);
    }
    std::reverse(let_in.begin(), let_in.end());
    return let_in;
}

namespace {

std::map<const KubePod*, bool> violating_among(const KubeState& state, const std::vector<const KubePod*>& let_in) {
    std::map<const KubePod*, bool> violating;
    std::map<KubeName, std::int64_t> left;
    for (const auto& [name, budget] : state.objects->budgets) {
        left[name] = budget.allowed;
    }
    for (const KubePod* pod : let_in) {
        for (const auto& [name, budget] : state.objects->budgets) {
            if (protects(budget, *pod) && --left[name] < 0) {
                violating[pod] = true;
            }
        }
    }
    return violating;
}

}  // namespace

std::optional<KubeVictims> GuaranteeRules::look_at(const Ask& ask, const KubeState& state, const KubeNode& node) const {
    Pods going;
    const Pods let_in = pool_on(ask, state, node.name, going);
    Pods gone = let_in;
    gone.insert(gone.end(), going.begin(), going.end());
    if (gone.empty() || why_not_without(state, gone, ask.pod, node)) {
        return std::nullopt;
    }
    std::map<const KubePod*, bool> violating = violating_among(state, let_in);
    Pods order = gone;
    std::stable_sort(order.begin(), order.end(),
                     [&](const KubePod* a, const KubePod* b) { return violating[a] && !violating[b]; });
    for (const KubePod* one : order) {
        Pods without = gone;
        std::erase(without, one);
        if (!why_not_without(state, without, ask.pod, node)) {
            gone = without;
        }
    }
    if (gone.empty()) {
        return std::nullopt;
    }
    KubeVictims out{&node, gone, 0};
    for (const KubePod* one : gone) {
        out.violations += violating[one];
        out.going += is_going(*one);
    }
    return out;
}

std::optional<KubeVictims> GuaranteeRules::search(const Ask& ask, const Oracle::Look& look) const {
    KubeState state = look.state;
    state.skipped = look.answer.skipped;
    const auto cost = [&](const KubeVictims& one) {
        std::int64_t opted_out = 0;
        std::int64_t owners = 0;
        for (std::size_t at = 0; at < one.told(); ++at) {
            const int victim_class = class_of(oracle_.asks_.at(one.victims[at]->sequence));
            opted_out += victim_class == 2;
            owners += victim_class == 1;
        }
        return std::tuple(one.violations, opted_out, owners, one.told() == 0 ? 0 : 1, one.highest_priority(),
                          one.priority_sum(), one.told(), -one.earliest_start());
    };
    std::optional<KubeVictims> best;
    for (const NodeExplanation& explained : look.answer.explanation.nodes) {
        if (explained.verdict != Verdict::unschedulable) {
            continue;
        }
        const auto found = look_at(ask, state, oracle_.nodes_.at(explained.node).facts);
        if (found && (!best || cost(*found) < cost(*best))) {
            best = found;
        }
    }
    return best;
}

std::string GuaranteeRules::left_short(const Ask& ask, const KubeVictims& chosen) const {
    for (std::size_t at = 0; at < chosen.told(); ++at) {
        const Ask& victim = oracle_.asks_.at(chosen.victims[at]->sequence);
        for (const std::string& queue : below_fork(leaf_of(victim), leaf_of(ask))) {
            for (const auto& [kind, named] : guarantee_of(config(queue))) {
                std::int64_t left = held(queue, kind, nullptr);
                for (std::size_t other = 0; other < chosen.told(); ++other) {
                    const Ask& one = oracle_.asks_.at(chosen.victims[other]->sequence);
                    left -= is_below(leaf_of(one), queue) ? amount_of(in_queues(one.requests), kind) : 0;
                }
                if (in_queues(victim.requests).contains(kind) && left < named) {
                    return queue + " for " + victim.key;
                }
            }
        }
    }
    return "";
}

// --- the oracle's side of it

std::string GuaranteeRules::sleeper() const {
    for (const auto& [sequence, ask] : oracle_.asks_) {
        const bool tried = ask.state == AskState::unschedulable && ask.guaranteed_since && !needs_plugins(ask);
        // Its queue may have had no room in its guarantee; an end of one of its pods wakes it, the beginning of that does not.
        if (!tried || !ask.failed_by.contains(kByGuarantee) || !oracle_.options_.preemption.enabled || !concerns(ask) ||
            oracle_.now_ - *ask.guaranteed_since < delay_of(ask)) {
            continue;
        }
        const Oracle::Look look(oracle_, ask);
        const auto found = oracle::preempt(look.state, ask.pod, look.answer);
        if (found && found->eligible && search(ask, look)) {
            return "law of waking: " + ask.key + " sleeps, and could preempt for its queue's guarantee";
        }
    }
    return "";
}

// Of an ask whose attempt has failed: whether a search may follow now.
bool GuaranteeRules::waits_long_enough(Oracle& oracle, Ask& ask) {
    const GuaranteeRules rules(oracle);
    return rules.concerns(ask) && wait(oracle, ask, rules.delay_of(ask));
}

bool GuaranteeRules::group_waits_long_enough(Oracle& oracle, const std::vector<Ask*>& waiting) {
    const GuaranteeRules rules(oracle, waiting);
    Ask& eldest = *waiting.front();
    const bool concerned = rules.concerns_member(eldest);
    if (concerned) {
        oracle.saw("a guaranteed pod group fails");
    }
    return concerned && wait(oracle, eldest, rules.delay_of(eldest));
}

bool GuaranteeRules::group_has_waited(Oracle& oracle, const std::vector<Ask*>& waiting) {
    const GuaranteeRules rules(oracle, waiting);
    const Ask& eldest = *waiting.front();
    return rules.concerns_member(eldest) &&
           eldest.guaranteed_since.value_or(oracle.now_) + rules.delay_of(eldest) <= oracle.now_;
}

bool GuaranteeRules::wait(Oracle& oracle, Ask& ask, std::int64_t delay) {
    ask.guaranteed_since = ask.guaranteed_since.value_or(oracle.now_);
    const std::int64_t over = *ask.guaranteed_since + delay;
    oracle.saw(over <= oracle.now_ ? "a guaranteed ask may preempt" : "a guaranteed ask waits for its delay");
    ask.guaranteed_from = over <= oracle.now_ ? INT64_MAX : over;
    return over <= oracle.now_;
}

void GuaranteeRules::end_delays(Oracle& oracle) {
    for (auto& [sequence, ask] : oracle.asks_) {
        if (ask.guaranteed_from <= oracle.now_) {
            ask.guaranteed_from = INT64_MAX;
            if (ask.state == AskState::unschedulable) {
                oracle.saw("woken as the delay of a guarantee is over");
                oracle.wake(ask);
            }
        }
    }
}

// Takes the place of a search that has chosen no node, if it finds one.
bool GuaranteeRules::preempt(Oracle& oracle, Ask& ask, const Oracle::Look& look, KubePreemption& found) {
    const GuaranteeRules rules(oracle);
    const auto chosen = rules.search(ask, look);
    if (!chosen) {
        oracle.saw("a guarantee finds nobody to preempt");
        ask.failed_by.insert(kByGuarantee);
        return false;
    }
    oracle.saw(chosen->told() == 0 ? "a guarantee waits for pods that go anyway" : "a guarantee preempts");
    for (const KubePod* victim : chosen->victims) {
        if (oracle.asks_.at(victim->sequence).opted_out && !victim->terminating) {
            oracle.saw("a guarantee preempts the opted-out");
        }
    }
    if (chosen->told() > 0 && chosen->victims.front()->priority >= ask.priority) {
        oracle.saw("a guarantee preempts a pod of no lower priority");
    }
    found.candidates = {*chosen};
    found.chosen = 0;
    if (const std::string queue = rules.left_short(ask, *chosen); !queue.empty()) {
        oracle.broken_at_commit_.push_back("R-GUARANTEE-18: " + ask.key + " takes from " + queue);
    }
    return true;
}

}  // namespace bayplan::oracle
