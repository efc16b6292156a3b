// Preemption by pod groups, and of their members, naively: rules/gangs.md. Trials are made on the asks and nodes
// themselves, and then everything is put back as it was.
//
// Thread and errors: see oracle.h.
#include "oracle_gang_preemption.h"
#include "oracle_guarantees.h"
#include "oracle_look.h"

#include <algorithm>
#include <tuple>

namespace bayplan::oracle {

// --- trying

void Oracle::stand_on(Ask& member, const std::string& node, const std::vector<KubeBinding>& bindings) {
    give_devices(member, nodes_.at(node), "");
    add(member.requests, 1, nodes_.at(node).used);
    member.node = node;
    member.pod.node = node;
    member.state = AskState::unacknowledged;
    member.bindings = bindings;
}

std::vector<KubeBinding> Oracle::bindings_on(const Ask& ask, const std::string& node) const {
    const KubeObjects objects = assumed_objects();
    KubeState state = state_for(ask, objects);
    for (const auto& [name, other] : nodes_) {
        if (name != node) {
            state.excluded.insert(name);
        }
    }
    return judge(state, ask.pod).bindings;
}

// A pod that goes from the node of its nomination, while that may take it.
bool Oracle::GangSearch::waits_for_a_victim(const Ask& ask) const {
    const bool marked_only = oracle_.options_.preemption.preempt_again == PreemptAgain::marked;
    const bool any = std::ranges::any_of(oracle_.asks_, [&](const auto& one) {
        const Ask& other = one.second;
        const bool concerns = (!ask.nominated_for.empty() && ask.victims.contains(other.sequence)) ||
                              (other.priority < ask.priority && (other.pod.preempted || !marked_only));
        return !ask.nominated_node.empty() && other.node == ask.nominated_node && other.pod.terminating &&
               !other.pod.stuck && concerns;
    });
    if (!any || std::ranges::any_of(ask.excluded, [&](const auto& one) { return one.second == ask.nominated_node; })) {
        return false;
    }
    const KubeObjects objects = oracle_.assumed_objects();
    const auto failure = why_not(oracle_.state_for(ask, objects), ask.pod, oracle_.nodes_.at(ask.nominated_node).facts);
    return !failure || failure->verdict != Verdict::unresolvable;
}

Oracle::GangSearch::GangSearch(Oracle& oracle, const std::vector<Ask*>& waiting)
    : oracle_(oracle), waiting_(waiting), asks_(oracle.asks_), nodes_(oracle.nodes_), objects_(oracle.objects_) {}

Oracle::GangPreemption Oracle::GangSearch::run(bool guaranteed) {
    const EngineOptions& options = oracle_.options_;
    if (!options.preemption.enabled || oracle_.nodes_.empty()) {
        oracle_.saw("gang may not preempt");
        return found_;
    }
    if (std::ranges::any_of(waiting_, [&](const Ask* member) { return waits_for_a_victim(*member); })) {
        oracle_.saw("gang waits for its victims");
        found_.waits = true;
        return found_;
    }
    if (waiting_.front()->pod.never_preempts) {
        oracle_.saw("gang may not preempt");
        return found_;
    }
    found_.eligible = true;
    found_.keeps = false;
    search();
    if (found_.nominations.empty() && guaranteed) {
        for_guarantee_ = true;
        looked_at_ = 0;
        search();
        oracle_.saw(found_.nominations.empty() ? "a pod group finds nobody for its guarantee"
                                               : "a pod group preempts for its guarantee");
        if (found_.nominations.empty()) {
            found_.failed_by.insert(kByGuarantee);
        }
    }
    if (found_.nominations.empty()) {
        oracle_.saw("gang finds nobody to preempt");
    } else if (domain_) {
        oracle_.saw("a gang preempts in a domain");
    }
    return found_;
}

void Oracle::GangSearch::search() {
    in_turn([&] {
        gone_.clear();
        whole_.clear();
        stay_.clear();
        look_for_nodes();
        if (!found_.nominations.empty()) {
            put_back();
        }
        restore();
        return !found_.nominations.empty();
    });
}

// In the oracle's state as the trial has made it: members before this one are on their nodes, their victims on none.
std::optional<KubeVictims> Oracle::GangSearch::search_for_guarantee(const Ask& member, const Look& look) const {
    const GuaranteeRules rules(oracle_, waiting_);
    if (!rules.concerns_member(member)) {
        oracle_.saw("a member of a pod group is beyond the guarantee");
        return std::nullopt;
    }
    const auto chosen = rules.search(member, look);
    if (chosen) {
        if (const std::string queue = rules.left_short(member, *chosen); !queue.empty()) {
            oracle_.broken_at_commit_.push_back("R-GUARANTEE-18: " + member.key + " takes from " + queue);
        }
    }
    return chosen;
}

// Until there are nodes for its minimum, or there cannot be; then none.
void Oracle::GangSearch::look_for_nodes() {
    const std::string key = waiting_.front()->gang;
    const std::size_t minimum = oracle_.gangs_.at(key).minimum;
    const std::size_t before = oracle_.assigned(key);
    std::size_t left = waiting_.size();
    for (Ask* member : waiting_) {
        const std::size_t reached = before + found_.nominations.size();
        if (reached >= minimum || reached + left < minimum) {
            break;
        }
        --left;
        try_member(*member);
    }
    if (before + found_.nominations.size() < minimum) {
        found_.nominations.clear();
    }
}

void Oracle::GangSearch::restore() {
    for (const auto& [sequence, ask] : asks_) {
        oracle_.asks_.at(sequence) = ask;
    }
    oracle_.nodes_ = nodes_;
    oracle_.objects_ = objects_;
}

void Oracle::GangSearch::try_member(Ask& member) {
    ++looked_at_;
    const GangDomains::Narrowed narrowed(member, oracle_.gangs_.at(member.gang), domain_ ? &*domain_ : nullptr);
    const Look look(oracle_, member);
    GangNomination one;
    one.ask = member.sequence;
    one.node = look.answer.explanation.node;
    if (!one.node.empty()) {
        oracle_.saw("member nominated where there is room");
        one.costs = costs_text({}, 0);
        oracle_.stand_on(member, one.node, look.answer.bindings);
        found_.nominations.push_back(one);
        return;
    }
    found_.failed_by.insert(look.answer.failed_by.begin(), look.answer.failed_by.end());
    if (reserving_) {
        wait_for_room(member, look);
        return;
    }
    const auto found = needs_plugins(member) ? std::nullopt : preempt_for_group(look.state, member.pod, look.answer);
    if (!found) {
        return;
    }
    found_.failed_by.insert(found->failed_by.begin(), found->failed_by.end());
    std::optional<KubeVictims> victims;
    if (found->chosen) {
        victims = found->candidates[*found->chosen];
    } else if (for_guarantee_) {
        victims = search_for_guarantee(member, look);
        one.guarantor = victims ? GuaranteeRules(oracle_).guarantor_of(member) : "";
    }
    if (!victims) {
        return;
    }
    const KubeVictims& chosen = *victims;
    one.node = chosen.node->name;
    one.costs = costs_text(chosen, found->nodes);
    for (const KubePod* victim : chosen.victims) {
        one.victims.push_back(victim->sequence);
    }
    for (const std::uint64_t other : oracle_.others_of_broken(chosen.victims)) {
        one.victims.push_back(other);
    }
    const std::vector<std::string> broken = oracle_.broken_by(chosen.victims);
    whole_.insert(broken.begin(), broken.end());
    KubeState running;
    oracle_.show_gangs(running);
    for (const std::uint64_t victim : one.victims) {
        const auto gang = running.gang_of.find(&oracle_.asks_.at(victim).pod);
        gone_[victim] = gang == running.gang_of.end() ? "" : gang->second;
    }
    for (const std::uint64_t victim : one.victims) {
        if (!oracle_.asks_.at(victim).pod.terminating) {
            oracle_.take_from_budgets(oracle_.asks_.at(victim).pod);
        }
        take_off(victim);
    }
    oracle_.stand_on(member, one.node, oracle_.bindings_on(member, one.node));
    found_.nominations.push_back(one);
}

void Oracle::GangSearch::take_off(std::uint64_t victim) {
    Ask& ask = oracle_.asks_.at(victim);
    Node& node = oracle_.nodes_.at(ask.node);
    add(ask.requests, -1, ask.foreign ? node.foreign : node.used);
    ask.node.clear();
    ask.pod.node.clear();
}

// --- putting back

// More important first.
std::vector<std::uint64_t> Oracle::GangSearch::gone_by_importance() const {
    std::vector<std::uint64_t> order;
    for (const auto& [victim, gang] : gone_) {
        order.push_back(victim);
    }
    const bool by_qos = oracle_.options_.preemption.victim_order == VictimOrder::qos;
    std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
        const auto rank = [&](const Ask& one) {
            const std::int64_t start = one.pod.started_ms == 0 ? INT64_MAX : one.pod.started_ms;
            return std::tuple(-std::int64_t{one.priority}, by_qos ? -one.pod.qos_rank : 0, start, one.key,
                              one.sequence);
        };
        return rank(asks_.at(a)) < rank(asks_.at(b));
    });
    return order;
}

void Oracle::GangSearch::put_back() {
    const std::vector<std::uint64_t> order = gone_by_importance();
    std::vector<std::set<std::uint64_t>> units;
    std::set<std::string> seen;
    for (const std::uint64_t victim : order) {
        const std::string& gang = gone_.at(victim);
        if (whole_.contains(gang) && seen.insert(gang).second) {
            units.emplace_back();
            for (const auto& [other, its_gang] : gone_) {
                if (its_gang == gang) {
                    units.back().insert(other);
                }
            }
        }
    }
    for (const std::uint64_t victim : order) {
        if (!whole_.contains(gone_.at(victim))) {
            units.push_back({victim});
        }
    }
    std::size_t checks = 0;
    for (const std::set<std::uint64_t>& unit : units) {
        checks += found_.nominations.size();
        if (checks > 262'144) {
            break;
        }
        if (all_fit_without(unit)) {
            oracle_.saw(unit.size() > 1 ? "a gang is put back" : "a victim is put back");
            stay_.insert(unit.begin(), unit.end());
        }
    }
    for (GangNomination& one : found_.nominations) {
        std::erase_if(one.victims, [&](std::uint64_t victim) { return stay_.contains(victim); });
    }
}

// One after another, the eldest first, beside the victims that are back and these.
bool Oracle::GangSearch::all_fit_without(const std::set<std::uint64_t>& unit) {
    restore();
    for (const auto& [victim, gang] : gone_) {
        if (!stay_.contains(victim) && !unit.contains(victim)) {
            take_off(victim);
        }
    }
    for (const GangNomination& one : found_.nominations) {
        Ask& member = oracle_.asks_.at(one.ask);
        const KubeObjects objects = oracle_.assumed_objects();
        if (why_not(oracle_.state_for(member, objects), member.pod, oracle_.nodes_.at(one.node).facts)) {
            return false;
        }
        oracle_.stand_on(member, one.node, oracle_.bindings_on(member, one.node));
    }
    return true;
}

// --- what comes of it

void Oracle::give_up(const std::string& key, const std::vector<Ask*>& waiting, const Pass& pass) {
    saw("gang given up");
    Gang& gang = gangs_.at(key);
    const bool guaranteed = GuaranteeRules::group_waits_long_enough(*this, waiting);
    GangPreemption found = GangSearch(*this, waiting).run(guaranteed);
    if (found.nominations.empty() && !found.waits) {
        GangReservations(*this).perhaps_reserve(key, waiting, found);
    }
    std::set<std::string> failed_by = found.failed_by;
    failed_by.insert(pass.failed_by.begin(), pass.failed_by.end());
    for (const Try& one : pass.tries) {
        if (one.node.empty()) {
            failed_by.insert(one.failed_by.begin(), one.failed_by.end());
        }
    }
    end_former(key, found, waiting);
    GangReservations(*this).note(key, found);
    gang.nominated = found.keeps ? gang.nominated : found.nominations.size();
    count_failure(gang);
    const std::string message = "minimum not reached: " + std::to_string(pass.reached) + " of " +
                                std::to_string(gang.minimum) + pass.where +
                                (found.reserves ? "; nodes are reserved for it" : "");
    const bool lasts = std::ranges::none_of(found.nominations, [&](const GangNomination& one) {
        return std::ranges::any_of(one.victims, [&](std::uint64_t victim) { return asks_.at(victim).pod.stuck; });
    });
    for (Ask* member : waiting) {
        const GangNomination* const chosen = found.of(member->sequence);
        count_failure(*member, gang);
        if (chosen == nullptr) {
            log_line("fail", *member, "-", message);
            tell_failure(*member, message, found.keeps && !member->nominated_node.empty());
        } else {
            saw("member nominated");
            log_line("nominate", *member, chosen->node, chosen->costs + message, victim_names(chosen->victims));
            tell_failure(*member, message, lasts);
        }
    }
    bool told = false;
    bool gives_way = false;
    nominate_together(found.nominations, told, gives_way);
    for (Ask* member : waiting) {
        member->failed_by = failed_by;
        member->state = AskState::unschedulable;
    }
    if (told) {
        wake(Event::pod_changed);
    }
    if (gives_way) {
        wake(Event::allocation_ended);
    }
    for (const GangNomination& one : found.nominations) {
        Ask& member = asks_.at(one.ask);
        for (const std::uint64_t victim : one.victims) {
            if (asks_.contains(victim) && asks_.at(victim).pod.stuck && member.victims.contains(victim) &&
                member.nominated_node == one.node) {
                saw("victim of a gang stuck already");
                give_up_for(member, asks_.at(victim));
            }
        }
    }
}

void Oracle::count_failure(Gang& gang) const {
    gang.failures = std::min<std::uint32_t>(gang.failures + 1, 255);
    std::int64_t wait = options_.coscheduling.backoff_initial_ns;
    for (std::uint32_t doubled = 1; doubled < gang.failures && wait < options_.coscheduling.backoff_max_ns; ++doubled) {
        wait = wait > INT64_MAX / 2 ? options_.coscheduling.backoff_max_ns : wait * 2;
    }
    gang.backoff_until = now_ + std::min(wait, options_.coscheduling.backoff_max_ns);
}

void Oracle::count_failure(Ask& ask, const Gang& gang) {
    ++failed_;
    ask.failures += 1;
    ask.backoff_until = gang.backoff_until;
    ask.nacked = false;
}

void Oracle::end_former(const std::string& key, const GangPreemption& found, const std::vector<Ask*>& waiting) {
    if (found.reserves && !reserved_.empty() && reserved_ != key) {
        saw("a reservation is taken over");
        GangReservations(*this).end("pod group " + gangs_.at(key).name + " has it now");
    }
    const bool ends = key == reserved_ && !found.reserves;
    std::string who = ends ? "reservation ended: " : "";
    who += found.reserves || (ends && found.nominations.empty()) ? "reservation" : "preemption";
    for (Ask* member : waiting) {
        if (found.keeps || member->nominated_node.empty()) {
            continue;
        }
        const GangNomination* const anew = found.of(member->sequence);
        saw("former nomination of a gang");
        if (found.nominations.empty()) {
            clear_nomination(*member, who + " found no nodes for its pod group");
        } else if (anew == nullptr) {
            clear_nomination(*member, who + " chose other members of its pod group");
        } else if (anew->node != member->nominated_node) {
            clear_nomination(*member, who + " chose " + anew->node);
        }
    }
}

void Oracle::nominate_together(const std::vector<GangNomination>& nominations, bool& told, bool& gives_way) {
    for (const GangNomination& one : nominations) {
        Ask& member = asks_.at(one.ask);
        ++nominated_;
        nominate(member, one.node);
        member.nominated_for = one.guarantor;
        decide(member.shim, DecisionKind::nominated, member.key, std::string(kNominatedNodeKey), one.node);
        send_away(member, one.victims, told, gives_way);
    }
    trying_.clear();  // to asks of lower priority its nominations are like any
    for (const GangNomination& one : nominations) {
        clear_lower_nominations(asks_.at(one.ask), one.node);
    }
}

bool Oracle::nominations_must_end(const std::string& key) {
    const Gang& gang = gangs_.at(key);
    const auto left =
        std::ranges::count_if(waiting_members(key), [](const Ask* member) { return !member->nominated_node.empty(); });
    return gang.nominated != 0 && (!has_quorum(key) || static_cast<std::size_t>(left) != gang.nominated);
}

void Oracle::end_nominations(const std::string& key, const std::string& why) {
    saw("nominations of a gang end together");
    if (key == reserved_) {
        saw("a reservation ends");
        GangReservations(*this).forget(key);
    }
    gangs_.at(key).nominated = 0;
    gangs_.at(key).woken = true;
    for (Ask* member : members(key)) {
        if (!member->nominated_node.empty()) {
            clear_nomination(*member, why);
        }
    }
}

}  // namespace bayplan::oracle
