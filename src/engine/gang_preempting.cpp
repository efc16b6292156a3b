// The sequence of members, the pods that go for them, and those put back; see gang_preempting.h.
#include "engine/gang_preempting.h"

#include <algorithm>
#include <map>

namespace bayplan {

GangPreemption GangPreempting::decide(const std::vector<AskId>& members, const Gang& gang, Guaranteed guaranteed) {
    found_ = {};
    found_.keeps = true;
    if (!world_.options.preemption.enabled || world_.nodes.count() == 0) {
        return found_;
    }
    found_.waits = std::any_of(members.begin(), members.end(), [&](AskId id) { return waits(id); });
    if (found_.waits || world_.asks[members.front()].never_preempts) {
        return found_;
    }
    found_.eligible = true;
    found_.keeps = false;
    search_in_turn(members, gang);
    if (found_.nominations.empty() && guaranteed == Guaranteed::may) {
        for_guarantee_ = true;
        search_in_turn(members, gang);
        for_guarantee_ = false;
        found_.failed_predicates |= found_.nominations.empty() ? kFailedByGuarantee : 0;
    }
    return found_;
}

GangPreemption GangPreempting::explain(const std::vector<AskId>& members, const Gang& gang, Guaranteed guaranteed) {
    explains_ = true;
    GangPreemption found = decide(members, gang, guaranteed);
    explains_ = false;
    return found;
}

// An ask that is not selected cannot be placed, but something may stand where it would.
void GangPreempting::stand_on(AskId member, Slot slot) {
    explains_ ? lifecycle_.try_on(member, slot) : lifecycle_.take_node(member, slot, AskEvent::place);
}

void GangPreempting::search_in_turn(const std::vector<AskId>& members, const Gang& gang) {
    looked_at_ = 0;
    domains_.search_in_turn(gang, members, looked_at_, [&](const GangDomain* domain) {
        domain_ = domain;
        return search(members, gang);
    });
}

bool GangPreempting::search(const std::vector<AskId>& members, const Gang& gang) {
    gone_.clear();
    whole_.clear();
    failed_class_ = kNone<ClassId>;
    if (for_guarantee_) {
        attempts_.guaranteeing().begin_trial(members);
    }
    before_ = lifecycle_.commit().mark();
    const bool enough = find_nodes(members, gang);
    if (enough) {
        put_back();
        keep_victims_that_go();
    } else {
        found_.nominations.clear();
    }
    lifecycle_.commit().undo_to(before_);
    for (const Gone& gone : gone_) {
        if (gone.gang != kNone<GangId>) {
            world_.gangs.count(gone.pod, true, true);
        }
    }
    return enough;
}

// For a pod that goes from the node of its nomination, while that may take it.
bool GangPreempting::waits(AskId member) {
    if (!attempts_.preempting().waits_for_a_terminating_pod(member)) {
        return false;
    }
    const Slot slot = world_.nominations.of(member)->slot;
    Diagnoser diagnoser(world_, predicates_, member);
    diagnoser.begin();
    if (diagnoser.excluded(slot)) {
        return false;
    }
    const Verdict whole = diagnoser.whole().refusal.verdict;
    return (whole != Verdict::feasible ? whole : diagnoser.judge(diagnoser.view_of(slot)).refusal.verdict) !=
           Verdict::unresolvable;
}

// True: with them the gang has its minimum.
bool GangPreempting::find_nodes(const std::vector<AskId>& members, const Gang& gang) {
    std::size_t left = members.size();
    for (const AskId id : members) {
        if (gang.assigned + found_.nominations.size() >= gang.minimum) {
            return true;
        }
        if (gang.assigned + found_.nominations.size() + left < gang.minimum) {
            return false;
        }
        --left;
        try_member(id);
    }
    return gang.assigned + found_.nominations.size() >= gang.minimum;
}

bool GangPreempting::same_as_the_last_failure(AskId id) {
    const std::uint64_t position = world_.node_state.log().head() + world_.topology.version();
    return failed_class_ == world_.asks[id].ask_class && failed_at_ == position && attempts_.shares_failures(id);
}

bool GangPreempting::try_member(AskId id) {
    ++looked_at_;
    MemberNomination one = look_for(id);
    if (one.chosen.slot == kNone<Slot>) {
        return false;
    }
    send_away(one.chosen.victims);
    stand_on(id, one.chosen.slot);
    if (for_guarantee_) {
        attempts_.guaranteeing().takes(id);
    }
    found_.nominations.push_back(std::move(one));
    return true;
}

// Slot kNone: it finds none.
MemberNomination GangPreempting::look_for(AskId id) {
    const InDomain in(domains_, id, domain_);
    if (same_as_the_last_failure(id)) {
        return {id, {kNone<Slot>, {}, {}}, 0};
    }
    if (const Slot slot = attempts_.find_for_member(id); slot != kNone<Slot>) {
        return {id, {slot, {}, {}}, 0};
    }
    Diagnoser diagnoser(world_, predicates_, id);
    const Diagnosis diagnosis = diagnoser.diagnose();
    PreemptionOutcome outcome =
        needs_plugins(world_, id) ? PreemptionOutcome{} : attempts_.preempting().decide_for_gang(id, diagnosis);
    found_.failed_predicates |= diagnosis.failed_predicates | outcome.failed_predicates;
    std::string_view guarantor;
    if (for_guarantee_ && outcome.eligible && !outcome.chosen) {
        outcome.chosen = attempts_.guaranteeing().search_in_trial(id, *diagnosis.unschedulable, !explains_);
        guarantor = outcome.chosen ? attempts_.guaranteeing().guarantor(id) : std::string_view();
    }
    if (!outcome.chosen) {
        failed_class_ = attempts_.shares_failures(id) ? world_.asks[id].ask_class : kNone<ClassId>;
        failed_at_ = world_.node_state.log().head() + world_.topology.version();
        return {id, {kNone<Slot>, {}, {}}, 0};
    }
    return {id, std::move(*outcome.chosen), diagnosis.unschedulable_count, guarantor};
}

// --- pods that go

void GangPreempting::take_off(const Gone& gone) {
    lifecycle_.commit().vacate(gone.pod);
    lifecycle_.commit().take_devices(gone.pod, gone.slot);
}

// They count no more: for their node, their gang, and budgets.
void GangPreempting::send_away(const std::vector<AskId>& victims) {
    const GangBudgets& gangs = attempts_.preempting().gangs();
    if (for_guarantee_) {
        attempts_.guaranteeing().go(victims);
    }
    for (const GangId gang : gangs.broken_by(victims)) {
        whole_.insert(gang);
    }
    for (const AskId victim : victims) {
        const Ask& ask = world_.asks[victim];
        gone_.push_back({victim, ask.slot, gangs.runs_in(victim), false});
        if (!ask.terminating) {
            for (PodBudget* budget : world_.budgets.covering(world_.classes.spec_of(ask), world_.asks.key(victim))) {
                lifecycle_.commit().charge_budget(*budget);
            }
        }
        take_off(gone_.back());
        if (gone_.back().gang != kNone<GangId>) {
            world_.gangs.count(victim, false, false);
        }
    }
}

// --- pods put back

// Victims that are put back together: gangs that go whole, then pod by pod; of each the most important first.
std::vector<std::vector<std::size_t>> GangPreempting::units() const {
    std::vector<std::size_t> order(gone_.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
        order[at] = at;
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return more_important(world_.asks, gone_[a].pod, gone_[b].pod, world_.options.preemption.victim_order);
    });
    std::vector<std::vector<std::size_t>> units;
    std::map<GangId, std::size_t> of_gang;
    for (const std::size_t at : order) {
        if (whole_.contains(gone_[at].gang)) {
            const auto [unit, fresh] = of_gang.try_emplace(gone_[at].gang, units.size());
            if (fresh) {
                units.emplace_back();
            }
            units[unit->second].push_back(at);
        }
    }
    for (const std::size_t at : order) {
        if (!whole_.contains(gone_[at].gang)) {
            units.push_back({at});
        }
    }
    return units;
}

void GangPreempting::put_back() {
    std::size_t checks = 0;
    const bool amounts_decide = this->amounts_decide();
    for (const std::vector<std::size_t>& unit : units()) {
        checks += found_.nominations.size();
        if (checks > kChecksMax) {
            return;
        }
        if (amounts_decide ? fits_beside(unit) : fits_anew(unit)) {
            for (const std::size_t at : unit) {
                gone_[at].stays = true;
            }
        }
    }
}

bool GangPreempting::amounts_decide() const {
    const TrialTables tables = trial_tables(world_, predicates_);
    return std::all_of(found_.nominations.begin(), found_.nominations.end(), [&](const MemberNomination& one) {
        const Subject pod = subject_of(tables, world_.asks[one.ask].ask_class);
        return !looks_beyond_amounts(tables, pod) && !world_.devices.concern(pod.ask_class);
    });
}

// Where amounts alone decide, only the members on the nodes of these pods may have too little then.
bool GangPreempting::fits_beside(const std::vector<std::size_t>& unit) {
    const Commit::Mark mark = lifecycle_.commit().mark();
    std::set<Slot> nodes;
    for (const std::size_t at : unit) {
        lifecycle_.commit().occupy(gone_[at].pod, gone_[at].slot);
        nodes.insert(gone_[at].slot);
    }
    for (const MemberNomination& one : found_.nominations) {
        if (nodes.contains(one.chosen.slot)) {
            NodeTrial trial(trial_tables(world_, predicates_), one.ask, one.chosen.slot);
            trial.take_off(one.ask);
            if (!trial.passes()) {
                lifecycle_.commit().undo_to(mark);
                return false;
            }
        }
    }
    return true;
}

// All of it once more, and these pods do not go.
bool GangPreempting::fits_anew(const std::vector<std::size_t>& unit) {
    lifecycle_.commit().undo_to(before_);
    for (std::size_t at = 0; at < gone_.size(); ++at) {
        if (!gone_[at].stays && std::find(unit.begin(), unit.end(), at) == unit.end()) {
            take_off(gone_[at]);
        }
    }
    return std::all_of(found_.nominations.begin(), found_.nominations.end(), [&](const MemberNomination& one) {
        if (!NodeTrial(trial_tables(world_, predicates_), one.ask, one.chosen.slot).passes()) {
            return false;
        }
        stand_on(one.ask, one.chosen.slot);
        return true;
    });
}

void GangPreempting::keep_victims_that_go() {
    std::set<AskId> stay;
    for (const Gone& gone : gone_) {
        if (gone.stays) {
            stay.insert(gone.pod);
        }
    }
    for (MemberNomination& one : found_.nominations) {
        std::erase_if(one.chosen.victims, [&](AskId victim) { return stay.contains(victim); });
    }
}

}  // namespace bayplan
