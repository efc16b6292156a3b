// The pass, and what is made of it; see gang_attempts.h.
#include "engine/gang_attempts.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan {

void GangAttempts::make(Element members) {
    members_.assign(members.begin(), members.end());
    placed_.clear();
    failures_.clear();
    judged_class_ = kNone<ClassId>;
    Commit& commit = lifecycle_.commit();
    Gang& gang = lifecycle_.gangs().gang_of(members_.front());
    if (world_.options.coscheduling.mode == Coscheduling::permit) {
        permit(world_.gangs.member(members_.front()).gang);
        domains_.end_attempt();
        return;
    }
    for (const AskId id : members_) {
        commit.suspend_nomination(id);  // its own nominations do not stand against the gang
    }
    const Commit::Mark before = commit.mark();
    if (pass(gang, before)) {
        keep(gang);
    } else {
        commit.undo_to(before);
        give_up(gang);
    }
    domains_.end_attempt();
}

// True: with the members that found a node the gang has its minimum.
bool GangAttempts::pass(const Gang& gang, const Commit::Mark& before) {
    where_.clear();
    failed_in_domains_ = 0;
    if (domains_.concern(gang)) {
        if (pass_in_domains(gang, before)) {
            return true;
        }
        if (domains_.bind(gang)) {
            return false;
        }
        where_.clear();
        failed_in_domains_ = 0;
        begin_anew(before);
    }
    const bool whole = pass_over_members(gang, nullptr);
    reached_ = gang.assigned + placed_.size();
    return whole;
}

void GangAttempts::begin_anew(const Commit::Mark& before) {
    lifecycle_.commit().undo_to(before);
    placed_.clear();
    failures_.clear();
    judged_class_ = kNone<ClassId>;
}

// In the first domain in which the gang gets its minimum.
bool GangAttempts::pass_in_domains(const Gang& gang, const Commit::Mark& before) {
    const std::vector<GangDomain> order = domains_.in_order(gang, members_, Room::that_is_free);
    reached_ = gang.assigned + (order.empty() ? 0 : order.front().room);
    where_ = order.empty() ? "; " + domains_.text_of_none(gang) : " in " + domains_.text(gang, order.front());
    failed_in_domains_ = order.empty() ? domains_.of_no_domain() : 0;
    std::size_t passes = 0;
    std::size_t looked_at = 0;
    for (const GangDomain& domain : order) {
        if (!domain.has_room) {
            failed_in_domains_ |= domains_.of_no_room();
        }
        if (!domain.has_room || passes == GangDomains::kPassesMax || looked_at >= GangDomains::kMembersMax) {
            continue;
        }
        begin_anew(before);
        if (pass_over_members(gang, &domain)) {
            return true;
        }
        looked_at += placed_.size() + failures_.size();
        failed_in_domains_ |= failed_predicates();
        if (passes == 0 || gang.assigned + placed_.size() > reached_) {
            reached_ = gang.assigned + placed_.size();
            where_ = " in " + domains_.text(gang, domain);
        }
        ++passes;
    }
    return false;
}

// Ends as soon as the gang cannot have its minimum any more.
bool GangAttempts::pass_over_members(const Gang& gang, const GangDomain* domain) {
    std::size_t left = members_.size();
    for (const AskId id : members_) {
        --left;
        if (!try_member(gang, id, domain) && gang.assigned + placed_.size() + left < gang.minimum) {
            return false;
        }
    }
    BP_CHECK(gang.assigned + placed_.size() >= gang.minimum);  // it had its quorum
    return true;
}

bool GangAttempts::try_member(const Gang& gang, AskId id, const GangDomain* domain) {
    const auto find = [&] {
        const InDomain in(domains_, id, domain);
        return attempts_.find_for_member(id);
    };
    Slot slot = find();
    if (slot == kNone<Slot> && domain != nullptr && gang.topology.preferred &&
        gang.assigned + placed_.size() >= gang.minimum) {
        domain = nullptr;
        slot = find();
    }
    if (slot == kNone<Slot>) {
        clear_left_over(id);
        const InDomain in(domains_, id, domain);
        note_failure(id);
        return false;
    }
    lifecycle_.take_node(id, slot, AskEvent::place);
    placed_.push_back(id);
    return true;
}

// Of a nomination, if the gang is placed.
void GangAttempts::clear_left_over(AskId id) {
    if (const Nomination* const nomination = world_.nominations.of(id)) {
        const Slot slot = nomination->slot;
        lifecycle_.commit().drop_nomination(id);
        lifecycle_.commit().happened({.kind = Happening::Kind::nomination_cleared,
                                      .ask = id,
                                      .slot = slot,
                                      .wakes = kPodGone,
                                      .why = lifecycle_.gangs().is_reserved(lifecycle_.gangs().gang_of(id))
                                                 ? "reservation ended: its pod group is placed without it"
                                                 : "its pod group is placed without it"});
    }
}

// In the words of the nodes as they are now. One judgement serves members alike while nothing changes.
void GangAttempts::note_failure(AskId id) {
    const ClassId ask_class = world_.asks[id].ask_class;
    const std::uint64_t position = world_.node_state.log().head() + world_.topology.version();
    const bool shared = attempts_.shares_failures(id);
    Failure& failure = failures_.emplace_back();
    failure.ask = id;
    if (shared && judged_class_ == ask_class && judged_at_ == position) {
        const Failure& same = failures_[failures_.size() - 2];
        failure.failed_predicates = same.failed_predicates;
        failure.message = same.message;
    } else {
        const Yielding::Without without(attempts_.yielding(), id);
        Diagnoser diagnoser(world_, predicates_, id);
        Diagnosis diagnosis = diagnoser.diagnose();
        failure.failed_predicates = diagnosis.failed_predicates;
        failure.message = std::move(diagnosis.message);
        judged_class_ = shared ? ask_class : kNone<ClassId>;
        judged_at_ = position;
    }
    tell(failure);
}

void GangAttempts::tell(Failure& failure) {
    failure.told = {.message = failure.message, .chosen = nullptr, .nodes = 0, .nominated = false};
    lifecycle_.commit().happened({.kind = Happening::Kind::failed, .ask = failure.ask, .failure = &failure.told});
}

std::uint32_t GangAttempts::failed_predicates() const {
    std::uint32_t failed = 0;
    for (const Failure& failure : failures_) {
        failed |= failure.failed_predicates;
    }
    return failed;
}

void GangAttempts::keep(Gang& gang) {
    if (!placed_.empty()) {
        gang.failures = 0;
    }
    if (!failures_.empty()) {
        count_failure(gang);
    }
    join_failed(gang);
    for (const AskId id : placed_) {
        lifecycle_.gangs().count(id);
    }
    gang.nominated = 0;
    forget_reservation(gang);
    lifecycle_.commit().finish();
}

void GangAttempts::join_failed(const Gang& gang) {
    const std::uint32_t failed = failed_predicates();
    for (const Failure& failure : failures_) {
        charge_failure(failure.ask, gang, failed);
        lifecycle_.commit().join(failure.ask, AskEvent::fail);
    }
}

// Member by member: who finds a node holds it until the gang has its minimum. All of it is one transaction, so that what
// becomes free meanwhile wakes those left behind, too.
void GangAttempts::permit(GangId of) {
    Gang& gang = world_.gangs[of];
    for (const AskId id : members_) {
        const Slot slot = find_node_to_hold(gang, id);
        if (slot == kNone<Slot>) {
            fail_to_hold(gang, id);
        } else if (gang.assigned + 1 < gang.minimum) {
            lifecycle_.hold_for_gang(id, slot);
        } else {
            lifecycle_.take_node(id, slot, AskEvent::place);
            lifecycle_.gangs().count(id);
            lifecycle_.gangs().approve(of);
        }
    }
    if (!failures_.empty()) {
        count_failure(gang);
    }
    join_failed(gang);
    lifecycle_.commit().finish();
}

Slot GangAttempts::find_node_to_hold(const Gang& gang, AskId id) {
    const auto find = [&](const GangDomain* domain) {
        const InDomain in(domains_, id, domain);
        const Slot slot = attempts_.find_for_member(id);
        return slot != kNone<Slot> ? slot : attempts_.take_from_gangs_behind(id);
    };
    const GangDomain* const domain = domains_.concern(gang) ? domains_.first(gang, members_) : nullptr;
    const Slot slot = domain != nullptr ? find(domain) : kNone<Slot>;
    return slot != kNone<Slot> || domains_.bind(gang) ? slot : find(nullptr);
}

void GangAttempts::fail_to_hold(const Gang& gang, AskId id) {
    const GangDomain* const domain = domains_.bind(gang) ? domains_.first(gang, members_) : nullptr;
    if (domain == nullptr && domains_.bind(gang)) {
        Failure& failure = failures_.emplace_back();
        failure.ask = id;
        failure.failed_predicates = domains_.of_no_domain();
        failure.message = domains_.text_of_none(gang);
        tell(failure);
        return;
    }
    const InDomain in(domains_, id, domain);
    note_failure(id);
}

void GangAttempts::give_up(Gang& gang) {
    const Guaranteed guaranteed = attempts_.guaranteeing().group_failed(members_);
    GangPreemption found = preempting_.decide(members_, gang, guaranteed);
    if (found.nominations.empty() && !found.waits) {
        perhaps_reserve(gang, found);
    }
    const std::uint32_t failed = failed_predicates() | failed_in_domains_ | found.failed_predicates;
    failures_.resize(1);
    failures_.front().message = "minimum not reached: " + std::to_string(reached_) + " of " +
                                std::to_string(gang.minimum) + where_ +
                                (found.reserves ? "; nodes are reserved for it" : "");
    end_former(gang, found);
    note_reservation(gang, found);
    count_failure(gang);
    tell_failures(gang, found, failed);
    const Lifecycle::SentAway sent = lifecycle_.nominate_together(gang, found.nominations);
    // Not before: what it freed itself does not wake it.
    for (const AskId id : members_) {
        lifecycle_.commit().join(id, AskEvent::fail);
    }
    lifecycle_.commit().finish();
    lifecycle_.wake_for(sent);
    for (const MemberNomination& one : found.nominations) {
        lifecycle_.give_up_on_stuck_victims(one.ask);
    }
}

// A reservation that stands is left as it is; else nodes are chosen anew. A gang without one gets it when it is due.
void GangAttempts::perhaps_reserve(Gang& gang, GangPreemption& found) {
    const bool has = lifecycle_.gangs().is_reserved(gang);
    if (has && reserving_.stands(members_, gang)) {
        found.keeps = true;
        return;
    }
    if (!has && (!is_due(gang) || (found.keeps && gang.nominated > 0))) {
        return;
    }
    found.keeps = false;
    found.nominations = reserving_.decide(members_, gang);
    found.failed_predicates |= reserving_.failed_predicates();
    found.reserves = !found.nominations.empty();
}

// There is one reservation; a gang of higher priority may take it over.
bool GangAttempts::is_due(const Gang& gang) const {
    const CoschedulingOptions& options = world_.options.coscheduling;
    const GangId other = world_.gangs.reserved();
    return options.reserve_after_ns > 0 && world_.options.preemption.enabled && gang.first_failed_ns != INT64_MAX &&
           world_.now_ns - gang.first_failed_ns >= options.reserve_after_ns &&
           (other == kNone<GangId> || world_.gangs[other].priority < gang.priority);
}

// Nominations end, except where they stay or are made anew.
void GangAttempts::end_former(Gang& gang, const GangPreemption& found) {
    if (found.reserves && !lifecycle_.gangs().is_reserved(gang) && world_.gangs.reserved() != kNone<GangId>) {
        lifecycle_.gangs().end_reservation("pod group " + gang.name + " has it now");
    }
    for (const AskId id : members_) {
        if (world_.nominations.of(id) == nullptr) {
            continue;
        }
        if (found.keeps) {
            lifecycle_.commit().restore_nomination(id);
        } else if (const std::string why = why_former_ends(gang, found, id); !why.empty()) {
            lifecycle_.clear_nomination(id, why);
        }
    }
    if (!found.keeps) {
        gang.nominated = 0;
    }
}

// Empty: it is made anew for the same node.
std::string GangAttempts::why_former_ends(const Gang& gang, const GangPreemption& found, AskId id) const {
    const bool ends = lifecycle_.gangs().is_reserved(gang) && !found.reserves;
    const std::string lead = ends ? "reservation ended: " : "";
    const std::string who = found.reserves || (ends && found.nominations.empty()) ? "reservation" : "preemption";
    const auto anew = std::find_if(found.nominations.begin(), found.nominations.end(),
                                   [&](const MemberNomination& one) { return one.ask == id; });
    if (found.nominations.empty()) {
        return lead + who + " found no nodes for its pod group";
    }
    if (anew == found.nominations.end()) {
        return lead + who + " chose other members of its pod group";
    }
    const Slot chosen = anew->chosen.slot;
    return chosen == world_.nominations.of(id)->slot ? std::string()
                                                     : lead + who + " chose " + std::string(world_.nodes.name(chosen));
}

// After a failed pass.
void GangAttempts::note_reservation(Gang& gang, const GangPreemption& found) {
    const bool has = lifecycle_.gangs().is_reserved(gang);
    if (has && !found.keeps && !found.reserves) {
        forget_reservation(gang);
    }
    if (!has && found.reserves) {
        world_.gangs.reserve(world_.gangs.member(members_.front()).gang,
                             world_.now_ns + world_.options.coscheduling.reserve_for_ns);
    }
    gang.first_failed_ns = std::min(gang.first_failed_ns, world_.now_ns);
}

void GangAttempts::forget_reservation(Gang& gang) {
    if (lifecycle_.gangs().is_reserved(gang)) {
        world_.gangs.end_reservation();
    }
    gang.first_failed_ns = INT64_MAX;
}

void GangAttempts::tell_failures(Gang& gang, const GangPreemption& found, std::uint32_t failed) {
    const bool lasts = std::all_of(found.nominations.begin(), found.nominations.end(), [&](const auto& one) {
        return std::none_of(one.chosen.victims.begin(), one.chosen.victims.end(),
                            [&](AskId victim) { return world_.departures.is_stuck(victim); });
    });
    told_.clear();
    auto next = found.nominations.begin();
    for (const AskId id : members_) {
        const bool chosen = next != found.nominations.end() && next->ask == id;
        const bool keeps = found.keeps && world_.nominations.of(id) != nullptr;
        told_.push_back({.message = failures_.front().message,
                         .chosen = chosen ? &next->chosen : nullptr,
                         .nodes = chosen ? next->nodes : 0,
                         .nominated = chosen ? lasts : keeps});
        next += chosen ? 1 : 0;
        charge_failure(id, gang, failed);
        lifecycle_.commit().happened({.kind = Happening::Kind::failed, .ask = id, .failure = &told_.back()});
    }
    lifecycle_.commit().finish();
}

void GangAttempts::count_failure(Gang& gang) {
    gang.failures = std::min(gang.failures + 1, kFailuresMax);
    gang.backoff_until_ns = lifecycle_.gangs().backoff_until_ns(gang);
}

void GangAttempts::charge_failure(AskId id, const Gang& gang, std::uint32_t failed) {
    lifecycle_.commit().refund(id);
    lifecycle_.commit().count_failure(id, failed, gang.backoff_until_ns, false);
}

}  // namespace bayplan
