// Looks at asks that a maximum leaves no room, and who goes for them, step by step as rules/guarantees.md names the steps.
//
// Thread and errors: see oracle.h.
#include "oracle_room.h"

#include <algorithm>
#include <tuple>

#include "kube_judge.h"
#include "kube_preemption.h"
#include "oracle_look.h"

namespace bayplan::oracle {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

bool is_one_of(const std::vector<const KubePod*>& pods, const KubePod* pod) {
    return std::find(pods.begin(), pods.end(), pod) != pods.end();
}

std::vector<const KubePod*> both(std::vector<const KubePod*> some, const std::vector<const KubePod*>& others) {
    some.insert(some.end(), others.begin(), others.end());
    return some;
}

}  // namespace

// --- when

bool RoomRules::is_on(const Oracle& oracle) {
    const auto& preemption = oracle.options_.preemption;
    if (!oracle.options_.queues || !preemption.enabled || !preemption.guarantee ||
        !oracle.queues_.preempts_between_queues || !GuaranteeRules(oracle).any_guarantee()) {
        return false;
    }
    const auto& queues = oracle.queues_.tree.queues;
    return std::any_of(queues.begin(), queues.end(), [](const auto& one) {
        return one.first != "root" && !one.second.config.resources.max.or_none().empty();
    });
}

std::int64_t RoomRules::next_time(const Oracle& oracle) {
    const auto& queues = oracle.queues_;
    std::int64_t next = INT64_MAX;
    if (oracle.anybody_holds_up() || !is_on(oracle)) {
        return next;
    }
    if (queues.stirred && queues.looked) {
        next = *queues.looked + kSecond;
    }
    for (const auto& [leaf, clock] : queues.room_clocks) {
        next = clock.second > oracle.now_ ? std::min(next, clock.second) : next;
    }
    return next;
}

void RoomRules::settle() {
    auto& looked = oracle_.queues_.looked;
    if (!oracle_.queues_.stirred || oracle_.anybody_holds_up() || (looked && oracle_.now_ - *looked < kSecond)) {
        return;
    }
    auto& clocks = oracle_.queues_.room_clocks;
    if (!is_on(oracle_)) {
        clocks.clear();
        return;
    }
    oracle_.queues_.stirred = false;
    looked = oracle_.now_;
    oracle_.queues_.room_looks += 1;
    std::vector<std::string> leaves;
    for (const auto& [path, queue] : oracle_.queues_.tree.queues) {
        leaves.push_back(path);
    }
    for (const std::string& leaf : leaves) {
        const Ask* const first = claimant(leaf);
        if (first == nullptr) {
            clocks.erase(leaf);
            continue;
        }
        auto& [since, due] = clocks.try_emplace(leaf, oracle_.now_, 0).first->second;
        const std::int64_t delay = queues_.delay_of(*first);
        due = delay > INT64_MAX - since ? INT64_MAX : since + delay;
        oracle_.saw(due <= oracle_.now_ ? "a leaf claims room" : "a leaf waits before it claims room");
    }
    std::erase_if(clocks, [&](const auto& one) { return !oracle_.queues_.tree.queues.contains(one.first); });
    const auto as_they_were = clocks;
    for (const auto& [leaf, clock] : as_they_were) {
        for (int claims = 0; clock.second <= oracle_.now_ && claims < 10; ++claims) {
            Ask* const ask = claimant(leaf);
            if (ask == nullptr || !make_room(*ask)) {
                break;
            }
            if (claims > 0) {
                oracle_.saw("a leaf claims room for several asks at once");
            }
        }
    }
}

Ask* RoomRules::claimant(const std::string& leaf) {
    const Trees now = trees();
    const auto age = [](const Ask& ask) {
        return std::tuple(-std::int64_t{ask.priority}, ask.created_s, ask.group_number, ask.sequence);
    };
    Ask* first = nullptr;
    for (auto& [sequence, ask] : oracle_.asks_) {
        if (queues_.leaf_of(ask) == leaf && lacks_room(ask, now) && (first == nullptr || age(ask) < age(*first))) {
            first = &ask;
        }
    }
    return first;
}

RoomRules::Trees RoomRules::trees() const {
    Trees trees;
    trees.with = oracle_.queues_.tree;
    trees.sequences = oracle_.fill_tree(trees.with);
    trees.without = trees.with;
    for (auto& [path, queue] : trees.without.queues) {
        queue.config.resources.max.amounts.reset();
    }
    return trees;
}

bool RoomRules::lacks_room(const Ask& ask, const Trees& trees) const {
    if (ask.foreign || ask.state != AskState::pending || ask.pod.never_preempts || needs_plugins(ask) ||
        !queues_.concerns(ask)) {
        return false;
    }
    const auto at = std::find(trees.sequences.begin(), trees.sequences.end(), ask.sequence) - trees.sequences.begin();
    const auto index = static_cast<std::size_t>(at);
    return !trees.with.has_room(trees.with.asks[index]) && trees.without.has_room(trees.without.asks[index]) &&
           !needed_by(ask, {}, nullptr).empty();
}

// Amounts that queues of its path would hold beyond their maxima with the ask and without these pods, by kind the most.
RoomRules::Resources RoomRules::needed_by(const Ask& ask, const Pods& without, std::string* lowest) const {
    Resources needed;
    for (const std::string& queue : queues_.path_of(queues_.leaf_of(ask))) {
        const Resources most = queue == "root" ? Resources() : queues_.config(queue).resources.max.or_none();
        for (const auto& [kind, amount] : in_queues(ask.requests)) {
            if (!most.contains(kind)) {
                continue;
            }
            std::int64_t has = queues_.held(queue, kind, &ask) + amount;
            for (const KubePod* pod : without) {
                const Ask& other = oracle_.asks_.at(pod->sequence);
                const std::string leaf = queues_.leaf_of(other);
                has -= leaf == queue || leaf.starts_with(queue + ".") ? in_queues(other.requests)[kind] : 0;
            }
            if (has > most.at(kind)) {
                needed[kind] = std::max(needed[kind], has - most.at(kind));
                if (lowest != nullptr && lowest->empty()) {
                    *lowest = queue;
                }
            }
        }
    }
    return needed;
}

// --- whom

std::optional<KubeVictims> RoomRules::find_node(const Ask& ask, const GuaranteeRules& rules) const {
    const Oracle::Look look(oracle_, ask);
    if (const std::string node = look.answer.explanation.node; !node.empty()) {
        oracle_.saw("room below a maximum, for a node where nobody need go");
        return KubeVictims{&oracle_.nodes_.at(node).facts, {}, 0};
    }
    const auto by_priority = oracle::preempt(look.state, ask.pod, look.answer);
    return by_priority && by_priority->eligible ? rules.search(ask, look) : std::nullopt;
}

// Most important first.
RoomRules::Pods RoomRules::let_in(const Ask& ask, const GuaranteeRules& rules, const Pods& on_node) const {
    const Resources needed = needed_by(ask, on_node, nullptr);
    Pods candidates;
    for (const auto& [sequence, other] : oracle_.asks_) {
        const Resources has = in_queues(other.requests);
        const bool helps =
            std::any_of(needed.begin(), needed.end(), [&](const auto& one) { return has.contains(one.first); });
        if (!other.node.empty() && !other.foreign && helps && !is_one_of(on_node, &other.pod) &&
            rules.is_candidate(other, ask)) {
            candidates.push_back(&other.pod);
        }
    }
    std::sort(candidates.begin(), candidates.end(),
              [&](const KubePod* a, const KubePod* b) { return rules.more_important(b, a); });
    KubeState gangs;
    oracle_.show_gangs(gangs);
    const auto take_from_gang = [&](const KubePod* pod) {
        const auto gang = gangs.gang_of.find(pod);
        if (gang == gangs.gang_of.end() || !gangs.gang_spare.contains(gang->second)) {
            return true;
        }
        return gangs.gang_spare[gang->second] > 0 && gangs.gang_spare[gang->second]-- > 0;
    };
    for (const KubePod* pod : on_node) {
        take_from_gang(pod);
    }
    Pods let_in;
    for (const KubePod* pod : candidates) {
        if (!rules.is_spared_by_queues(oracle_.asks_.at(pod->sequence), ask, both(on_node, let_in))) {
            oracle_.saw("a pod stays as its queue cannot spare it, whatever room is lacking above");
        } else if (!take_from_gang(pod)) {
            oracle_.saw("a pod stays as its gang cannot spare it, whatever room is lacking");
        } else {
            let_in.push_back(pod);
        }
    }
    std::reverse(let_in.begin(), let_in.end());
    return let_in;
}

std::map<const KubePod*, bool> RoomRules::violating_among(const Pods& on_node, const Pods& let_in) const {
    std::map<const KubePod*, bool> violating;
    std::map<KubeName, std::int64_t> left;
    for (const auto& [name, budget] : oracle_.objects_.budgets) {
        left[name] = budget.allowed;
        for (const KubePod* pod : on_node) {
            left[name] -= protects(budget, *pod) ? 1 : 0;
        }
    }
    for (auto pod = let_in.rbegin(); pod != let_in.rend(); ++pod) {
        for (const auto& [name, budget] : oracle_.objects_.budgets) {
            if (protects(budget, **pod) && --left[name] < 0) {
                violating[*pod] = true;
            }
        }
    }
    return violating;
}

// False: all that may go do not suffice.
bool RoomRules::add_others(const Ask& ask, const GuaranteeRules& rules, const KubeVictims& on_node,
                           Pods& others) const {
    const Pods told(on_node.victims.begin(), on_node.victims.begin() + static_cast<std::ptrdiff_t>(on_node.told()));
    others = let_in(ask, rules, told);
    if (!needed_by(ask, both(told, others), nullptr).empty()) {
        return false;
    }
    std::map<const KubePod*, bool> violating = violating_among(told, others);
    Pods order = others;
    std::stable_sort(order.begin(), order.end(),
                     [&](const KubePod* a, const KubePod* b) { return violating[a] && !violating[b]; });
    for (const KubePod* pod : order) {
        Pods rest = others;
        std::erase(rest, pod);
        if (needed_by(ask, both(told, rest), nullptr).empty()) {
            others = rest;
        } else if (violating[pod]) {
            oracle_.saw("room below a maximum goes before a budget");
        }
    }
    return true;
}

// --- what comes of it

// False: nobody goes.
bool RoomRules::make_room(Ask& ask) {
    GuaranteeRules rules(oracle_);
    needed_by(ask, {}, &rules.within_);
    const auto chosen = find_node(ask, rules);
    Pods others;
    if (!chosen || !add_others(ask, rules, *chosen, others)) {
        oracle_.saw(chosen ? "too few may go for room below a maximum" : "room below a maximum, and no node");
        return false;
    }
    oracle_.saw(chosen->told() > 0 ? "room is made below a maximum and on a node" : "room is made below a maximum");
    const Pods told(chosen->victims.begin(), chosen->victims.begin() + static_cast<std::ptrdiff_t>(chosen->told()));
    if (!told.empty() && !others.empty()) {
        oracle_.saw("room below a maximum takes more than its node does");
    }
    oracle_.queues_.room_preemptions += 1;
    oracle_.queues_.room_victims += both(told, others).size();
    check(ask, rules, told, others);
    send_away(ask, *chosen, others, rules.guarantor_of(ask));
    return true;
}

void RoomRules::send_away(Ask& ask, const KubeVictims& chosen, const Pods& others, const std::string& guarantor) {
    const std::string node = chosen.node->name;
    ++oracle_.nominated_;
    if (!ask.nominated_node.empty() && ask.nominated_node != node) {
        oracle_.clear_nomination(ask, "preemption chose " + node);
    }
    oracle_.nominate(ask, node);
    ask.nominated_for = guarantor;
    oracle_.decide(ask.shim, DecisionKind::nominated, ask.key, std::string(kNominatedNodeKey), node);
    const std::string why = "preempted by " + full_name(ask) + " for the guarantee of " + guarantor;
    for (const KubePod* pod : both(chosen.victims, others)) {
        Ask& victim = oracle_.asks_.at(pod->sequence);
        if (victim.node == node) {
            ask.victims.insert(victim.sequence);
        }
        const bool goes_already = victim.pod.terminating;
        victim.chosen = true;
        oracle_.count_end_anew(victim);
        if (goes_already) {
            continue;
        }
        oracle_.touch(victim);
        oracle_.take_from_budgets(victim.pod);
        victim.told_to_delete = why;
        oracle_.log_line("release", victim, victim.node, why);
        oracle_.decide(victim.shim, DecisionKind::released, victim.key, why, victim.node,
                       Termination::preempted_by_scheduler);
    }
    oracle_.wake(Oracle::Event::pod_changed);
    oracle_.clear_lower_nominations(ask, node);
    oracle_.settle_gangs();
}

// None of those elsewhere could stay, and no queue is left with less than it is guaranteed.
void RoomRules::check(const Ask& ask, const GuaranteeRules& rules, const Pods& told, const Pods& others) const {
    for (const KubePod* pod : others) {
        Pods rest = both(told, others);
        std::erase(rest, pod);
        if (needed_by(ask, rest, nullptr).empty()) {
            oracle_.broken_at_commit_.push_back("R-GUARANTEE-50: " + pod->key + " could have stayed");
        }
    }
    KubeVictims all;
    all.victims = both(told, others);
    if (const std::string queue = rules.left_short(ask, all); !queue.empty()) {
        oracle_.broken_at_commit_.push_back("R-GUARANTEE-18: " + ask.key + " takes from " + queue + " for room");
    }
}

}  // namespace bayplan::oracle
