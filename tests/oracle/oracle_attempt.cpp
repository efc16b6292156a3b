// An attempt, naively: every node filtered and scored for one ask. rules/attempt.md; the
// predicates and scores themselves are in kube_judge.h.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <limits>
#include <tuple>

#include "oracle.h"
#include "oracle_guarantees.h"
#include "oracle_look.h"
#include "oracle_placeholders.h"

namespace bayplan::oracle {

namespace {

std::int64_t amount_of(const Amounts& amounts, const std::string& kind) {
    const auto found = amounts.find(kind);
    return found == amounts.end() ? 0 : found->second;
}

}  // namespace

std::uint64_t Oracle::run(std::uint64_t attempts_max) {
    std::uint64_t made = 0;
    while (made < attempts_max) {
        if (act_on_a_reservation()) {
            ++made;
            settle_gangs();
            PlaceholderRules(*this).settle();
            settle_applications();
            continue;
        }
        const Ask* ask = next_ask();
        if (ask == nullptr) {
            break;
        }
        for (const auto& [name, shim] : shims_) {
            decided_by_["rule: an attempt while a resync is open"] += shim.resync_open;
        }
        if (ask->due) {
            PlaceholderRules(*this).begin_due(asks_.at(ask->sequence));
        }
        if (ask->gang.empty()) {
            attempt(asks_.at(ask->sequence));
            ++made;
        } else {
            const bool permit = options_.coscheduling.mode == Coscheduling::permit;
            made += permit ? attempt_permit(ask->gang) : attempt_gang(ask->gang);
        }
        settle_gangs();
        PlaceholderRules(*this).settle();
        settle_applications();
    }
    queues_.stirred = queues_.stirred || made > 0;
    return made;
}

const Ask* Oracle::next_ask() const {
    if (anybody_holds_up()) {
        return nullptr;
    }
    if (const Ask* const due = PlaceholderRules::first_due(*this)) {
        return due;
    }
    if (options_.queues) {
        const Ask* const found = next_in_queues();
        return found == nullptr ? early_from_backoff() : found;
    }
    std::map<std::string, bool> credit;
    for (const auto& [name, shim] : shims_) {
        credit[name] = has_credit(shim);
    }
    const Ask* first = nullptr;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::pending && credit.at(ask.shim) && (first == nullptr || goes_before(ask, *first))) {
            first = &ask;
        }
    }
    return first == nullptr ? early_from_backoff() : first;
}

// When nothing else waits: of the shims with credit the ask whose backoff ends first.
const Ask* Oracle::early_from_backoff() const {
    const Ask* first = nullptr;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::backoff && !ask.nacked && has_credit(shims_.at(ask.shim)) &&
            (first == nullptr || ask.backoff_until < first->backoff_until)) {
            first = &ask;
        }
    }
    const bool may = first != nullptr && options_.backoff_early && (!options_.queues || has_room_in_queues(*first));
    return may ? first : nullptr;
}

KubeOptions Oracle::kube_options() const {
    KubeOptions out;
    // Gates are looked at when an ask is stated, not when it is its turn.
    out.waits_at_gates = false;
    out.copies_namespace_fault = options_.compat == Compat::kubernetes_1_35;
    out.copies_trial_faults = options_.compat == Compat::kubernetes_1_35;
    out.fullest_device = options_.device_choice == DeviceChoice::fullest;
    out.nominated_node_first = options_.preemption.nominated_node_first;
    out.victims_by_qos = options_.preemption.victim_order == VictimOrder::qos;
    out.only_marked_stand_in = options_.preemption.preempt_again == PreemptAgain::marked;
    switch (options_.score) {
        case ScorePolicy::least_allocated: out.fit = KubeFitPolicy::least_allocated; break;
        case ScorePolicy::most_allocated: out.fit = KubeFitPolicy::most_allocated; break;
        case ScorePolicy::requested_to_capacity_ratio: out.fit = KubeFitPolicy::requested_to_capacity_ratio; break;
    }
    for (const ScorePoint& point : options_.score_shape) {
        out.shape.push_back({point.utilization, 10 * point.score});
    }
    out.fit_resources.clear();
    for (const ScoredResource& one : options_.score_resources) {
        out.fit_resources.emplace_back(one.name, one.weight);
    }
    out.weights.clear();
    for (const ScoreRow& row : kScoreRows) {
        out.weights.emplace(row.name, options_.weights[row.id]);
    }
    for (const std::string& name : kube_predicate_names()) {
        const auto& on = options_.predicates;
        if (!on.empty() && std::find(on.begin(), on.end(), name) == on.end()) {
            out.predicates_off.insert(name);
        }
    }
    return out;
}

// The objects as stated, and what placements have done to claims since.
KubeObjects Oracle::assumed_objects() const {
    KubeObjects out = objects_;
    for (const auto& [name, stated] : given_back_) {
        out.resource_claims.at(name).allocation.reset();
        out.resource_claims.at(name).reserved_for.clear();
    }
    std::map<std::uint64_t, const KubeBinding*> uses;
    for (const auto& [sequence, ask] : asks_) {
        if (unseen_.contains(sequence)) {
            continue;
        }
        for (const KubeBinding& binding : ask.bindings) {
            if (binding.devices) {
                uses[binding.order] = &binding;
            } else {
                assume(binding, out);
            }
        }
    }
    for (const auto& [order, use] : uses) {
        assume_use(*use, out);
    }
    return out;
}

KubeState Oracle::state_for(const Ask& ask, const KubeObjects& objects) const {
    KubeState out;
    std::map<std::uint64_t, const KubeNode*> by_slot;
    for (const auto& [name, node] : nodes_) {
        by_slot[node.slot] = &node.facts;
    }
    for (const auto& [slot, facts] : by_slot) {
        out.nodes.push_back(facts);
    }
    for (const auto& [sequence, other] : asks_) {
        if (unseen_.contains(sequence)) {
            continue;
        }
        if (!other.node.empty()) {
            out.pods.push_back(&other.pod);
        } else if (!other.nominated_node.empty() && (&other == &ask || !is_tried_with(other))) {
            out.nominations.push_back({&other.pod, other.nominated_node});
            if (!other.nominated_for.empty()) {
                out.nominations.back().guaranteed_by = other.victims;
            }
        }
    }
    for (const auto& [pod, node] : ask.excluded) {
        out.excluded.insert(node);
    }
    for (const auto& [owner, hold] : holds_) {
        if (ask.priority < hold.kept_from_below) {
            out.holds.push_back({hold.node, hold.kept_from_below, owner, hold.amounts, false});
        }
    }
    for (const auto& [sequence, other] : asks_) {
        if (!other.reserved_node.empty() && &other != &ask) {
            out.holds.push_back({other.reserved_node, kKeptFromAll, sequence, other.requests, true});
        }
    }
    for (const KubeHold& hold : out.holds) {
        add(hold.amounts, 1, out.held[hold.node]);
    }
    show_gangs(out);
    out.objects = &objects;
    out.image_sizes = image_sizes_;
    out.options = kube_options();
    return out;
}

Oracle::Look::Look(const Oracle& oracle, const Ask& ask) {
    const auto& asks = oracle.asks_;
    const bool as_stated = oracle.given_back_.empty() && std::all_of(asks.begin(), asks.end(), [](const auto& one) {
                               return one.second.bindings.empty();
                           });
    if (!as_stated) {
        assumed = oracle.assumed_objects();
    }
    state = oracle.state_for(ask, as_stated ? oracle.objects_ : *assumed);
    KubeState open = state;
    const std::set<std::string> refused = needs_plugins(ask) ? oracle.nodes_refused(ask) : std::set<std::string>();
    open.excluded.insert(refused.begin(), refused.end());
    KubeState without = open;
    const bool avoids = !ask.avoids.empty() && oracle.now_ < ask.avoids_until;
    if (avoids) {
        without.avoided = without.excluded.insert(ask.avoids).second ? ask.avoids : "";
    }
    if (const auto error = error_of_attempt(state, ask.pod); error && !takes_nominated(without, ask.pod)) {
        answer = *error;
        return;
    }
    if (avoids) {
        answer = judge(without, ask.pod);
        avoided = answer.explanation.node.empty() ? "" : ask.avoids;
    }
    if (answer.explanation.node.empty()) {
        answer = judge(open, ask.pod);
    }
    if (answer.explanation.node.empty() && !refused.empty()) {
        KubeState all = state;
        std::erase_if(all.nominations, [&](const KubeNomination& own) { return own.pod == &ask.pod; });
        answer = judge(all, ask.pod);
        refused_by_plugins = oracle.refuse_by_plugins(ask, answer);
    }
}

KubeAnswer Oracle::answer(const Ask& ask) const {
    KubeAnswer answer = with_refusals(ask, Look(*this, ask));
    unseen_ = held_behind(ask);
    if (answer.explanation.node.empty() && !unseen_.empty()) {
        answer = with_refusals(ask, Look(*this, ask));
    }
    unseen_.clear();
    return answer;
}

void Oracle::attempt(Ask& ask) {
    ++attempts_;
    if (attempt_on_its_node(ask)) {
        return;
    }
    const Look look(*this, ask);
    if (ask.state == AskState::backoff) {
        saw("early from backoff");
    }
    if (counts_what_decides_) {
        count_deciders(look.answer);
        count_nominations_that_decide(ask, look);
    }
    if (look.answer.explanation.node.empty()) {
        attempt_past_gangs(ask, look);
        return;
    }
    const std::string node = look.answer.explanation.node;
    check_fit(ask, nodes_.at(node));
    if (needs_plugins(ask) && query_about(ask, node, look)) {
        return;
    }
    count_in_row(ask, true);
    place_by_attempt(ask, node, look.answer.bindings);
}

void Oracle::place_by_attempt(Ask& ask, const std::string& node, const std::vector<KubeBinding>& bindings) {
    ask.failed_by.clear();
    ++placed_;
    check_devices_fit(ask, nodes_.at(node));
    check_claimed(ask, nodes_.at(node), bindings);
    if (!ask.nominated_node.empty()) {
        saw(ask.nominated_node == node ? "placed on the nominated node" : "placed elsewhere");
    }
    place(ask, node, AskState::unacknowledged);
    ask.bindings = bindings;
    tell_place(ask);
}

std::string Oracle::devices_told(const Ask& ask) {
    const std::string kinds = devices_text(ask.pod.devices);
    const std::string of_claims = claims_text(ask.bindings);
    return kinds + (kinds.empty() || of_claims.empty() ? "" : ",") + of_claims;
}

void Oracle::tell_place(Ask& ask) {
    const std::string node = ask.node;
    const std::string devices = devices_told(ask);
    log_line("place", ask, node, devices.empty() ? "-" : devices);
    ask.allocated_decision =
        decide(ask.shim, DecisionKind::allocated, ask.key, "", node, Termination::unknown, false, devices);
}

// The steps of R-PREEMPT-23 to R-PREEMPT-40, in their order.
void Oracle::fail(Ask& ask, const Look& look) {
    if (asks_about_victims(ask, look)) {
        return;
    }
    ++failed_;
    ask.failed_by = look.answer.failed_by;
    if (nodes_.empty()) {
        ask.failed_by = {kNoNodes};
    }
    ask.failed_by.insert(failed_on_its_node_.begin(), failed_on_its_node_.end());
    count_failure(ask);
    ask.backoff_until = is_daemon_pod(ask) ? now_ : ask.backoff_until;
    const bool guaranteed = GuaranteeRules::waits_long_enough(*this, ask);
    const std::string guarantor = guaranteed ? GuaranteeRules(*this).guarantor_of(ask) : "";
    bool by_guarantee = false;
    std::optional<KubePreemption> found;
    if (options_.preemption.enabled && may_preempt(ask)) {
        found = preempt(with_plugins(ask, look.state), ask.pod, look.answer);
        if (found) {
            ask.failed_by.insert(found->failed_by.begin(), found->failed_by.end());
        }
    }
    if (counts_what_decides_ && found) {
        count_preemption_rules(ask, look, *found);
    }
    if (found && !found->eligible && !ask.nominated_for.empty()) {
        saw("a guarantee waits for its victims");
    }
    if (found && found->eligible && !found->chosen && guaranteed && !needs_plugins(ask)) {
        by_guarantee = GuaranteeRules::preempt(*this, ask, look, *found);
    }
    const std::string message = whole_message(look.answer, found);
    if (found && found->chosen) {
        const KubeVictims& chosen = found->candidates[*found->chosen];
        check_victims(ask, look.state, chosen, by_guarantee);
        const bool lasts = std::none_of(chosen.victims.begin(), chosen.victims.end(),
                                        [](const KubePod* victim) { return victim->stuck; });
        const std::vector<std::uint64_t> others =
            by_guarantee ? std::vector<std::uint64_t>() : others_of_broken(chosen.victims);
        log_nomination(ask, *found, others, message);
        tell_failure(ask, message, lasts);
        const bool given_back = give_claim_back(ask, found);
        if (needs_plugins(ask)) {
            ask.failed_by.insert(kByPlugins);
        }
        choose(ask, chosen, others, by_guarantee ? guarantor : "");
        forget_plugins(ask);
        if (given_back) {
            saw("a claim is given back, and its pod nominated");
            wake(Event::claim_given_back);
        }
        return;
    }
    const bool ends = found && found->eligible;
    log_line("fail", ask, "-", message);
    tell_failure(ask, message, !ends && !ask.nominated_node.empty());
    const bool given_back = give_claim_back(ask, found);
    if (ends && !ask.nominated_node.empty()) {
        saw("nomination ends as no node is found");
        clear_nomination(ask, "preemption found no node");
    }
    const bool refused = look.refused_by_plugins || (found && found->refused_by_plugins);
    ask.state = refused ? AskState::backoff : AskState::unschedulable;
    ask.nacked = refused;
    count_in_row(ask, false);
    forget_plugins(ask);
    if (given_back) {
        wake(Event::claim_given_back);
    }
}

bool Oracle::give_claim_back(const Ask& ask, const std::optional<KubePreemption>& found) {
    if (!found || !found->gives_back) {
        return false;
    }
    const KubeName& name = *found->gives_back;
    const std::string owner = object_owners_.at({"ResourceClaim", name.first, name.second});
    if (!shims_.at(owner).gives_claims_back) {
        saw("a claim is not given back by its shim");
        return false;
    }
    saw("a claim is given back");
    given_back_[name] = objects_.resource_claims.at(name);
    log_line("give_back", ask, "-", name.first + "/" + name.second);
    decide(owner, DecisionKind::claim_given_back, name.first + "/" + name.second, "for " + full_name(ask));
    return true;
}

void Oracle::count_failure(Ask& ask) {
    ask.failures += 1;
    std::int64_t wait = options_.backoff_initial_ns;
    for (std::uint64_t doubled = 1; doubled < ask.failures && wait < options_.backoff_max_ns; ++doubled) {
        wait = wait > std::numeric_limits<std::int64_t>::max() / 2 ? options_.backoff_max_ns : wait * 2;
    }
    ask.backoff_until = now_ + std::min(wait, options_.backoff_max_ns);
}

void Oracle::wake(Ask& ask) {
    if (!ask.gang.empty()) {
        touch(ask);
        return;
    }
    ask.state = ask.backoff_until > now_ ? AskState::backoff : AskState::pending;
    ask.failed_by.clear();
    ++woken_;
}

void Oracle::tell_failure(Ask& ask, const std::string& message, bool is_nominated) {
    const bool scale_up = !is_nominated && ask.priority >= options_.scale_up_cutoff;
    if (ask.failures == 1 || (scale_up && !ask.told_scale_up)) {
        decide(ask.shim, DecisionKind::ask_waiting, ask.key, message, "", Termination::unknown, scale_up);
        ask.told_scale_up = ask.told_scale_up || scale_up;
        saw(ask.failures > 1 ? "scale up told later" : scale_up ? "scale up told" : "no scale up");
    }
}

// R-LAW-3 at the moment of the commit; later the capacity may shrink below use. What is held against
// the ask is as good as in use.
void Oracle::check_fit(const Ask& ask, const Node& node) {
    if (!options_.predicates.empty() && std::ranges::count(options_.predicates, "NodeResourcesFit") == 0) {
        return;  // amounts decide nothing
    }
    Amounts taken = node.used;
    add(node.foreign, 1, taken);
    add(ask.requests, 1, taken);
    for (const auto& [owner, hold] : holds_) {
        if (hold.node == node.name && ask.priority < hold.kept_from_below) {
            add(hold.amounts, 1, taken);
        }
    }
    for (const Ask* other : nominated_to(node.name)) {
        if (other != &ask && other->priority >= ask.priority && !is_tried_with(*other)) {
            add(other->requests, 1, taken);
        }
    }
    for (const Ask* other : reservations_on(node.name)) {
        add(other->requests, 1, taken);
    }
    for (const auto& [kind, amount] : ask.requests) {
        if (amount_of(taken, kind) > counted_capacity(objects_, node.capacity, kind)) {
            broken_at_commit_.push_back("R-LAW-3: " + ask.key + " exceeds " + kind + " of " + node.name);
        }
    }
}

}  // namespace bayplan::oracle
