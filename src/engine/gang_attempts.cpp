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
    Gang& gang = lifecycle_.gangs().gang_of(members_.front());
    const Commit::Mark before = lifecycle_.commit().mark();
    if (pass(gang)) {
        keep(gang);
    } else {
        lifecycle_.commit().undo_to(before);
        give_up(gang);
    }
}

// True: with the members that found a node the gang has its minimum. Ends as soon as it cannot.
bool GangAttempts::pass(const Gang& gang) {
    std::size_t left = members_.size();
    for (const AskId id : members_) {
        --left;
        if (!try_member(id) && gang.assigned + placed_.size() + left < gang.minimum) {
            return false;
        }
    }
    BP_CHECK(gang.assigned + placed_.size() >= gang.minimum);  // it had its quorum
    return true;
}

bool GangAttempts::try_member(AskId id) {
    const NodeKey best = attempts_.find(id);
    if (best == 0) {
        note_failure(id);
        return false;
    }
    lifecycle_.take_node(id, slot_of(best), AskEvent::place);
    placed_.push_back(id);
    return true;
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
        Diagnoser diagnoser(world_, predicates_, id);
        Diagnosis diagnosis = diagnoser.diagnose();
        failure.failed_predicates = diagnosis.failed_predicates;
        failure.message = std::move(diagnosis.message);
        judged_class_ = shared ? ask_class : kNone<ClassId>;
        judged_at_ = position;
    }
    failure.told = {.message = failure.message, .chosen = nullptr, .nodes = 0, .nominated = false};
    lifecycle_.commit().happened({.kind = Happening::Kind::failed, .ask = id, .failure = &failure.told});
}

void GangAttempts::keep(Gang& gang) {
    if (!placed_.empty()) {
        gang.failures = 0;
    }
    if (!failures_.empty()) {
        count_failure(gang);
    }
    std::uint32_t failed = 0;
    for (const Failure& failure : failures_) {
        failed |= failure.failed_predicates;
    }
    for (const Failure& failure : failures_) {
        leave_behind(failure.ask, gang, failed);
    }
    for (const AskId id : placed_) {
        lifecycle_.gangs().count(id);
    }
    lifecycle_.commit().finish();
}

void GangAttempts::give_up(Gang& gang) {
    std::uint32_t failed = 0;
    for (const Failure& failure : failures_) {
        failed |= failure.failed_predicates;
    }
    failures_.resize(1);
    Failure& all = failures_.front();
    all.message = "minimum not reached: " + std::to_string(gang.assigned + placed_.size()) + " of " +
                  std::to_string(gang.minimum);
    all.told = {.message = all.message, .chosen = nullptr, .nodes = 0, .nominated = false};
    count_failure(gang);
    for (const AskId id : members_) {
        lifecycle_.commit().happened({.kind = Happening::Kind::failed, .ask = id, .failure = &all.told});
        leave_behind(id, gang, failed);
    }
    lifecycle_.commit().finish();
}

void GangAttempts::count_failure(Gang& gang) {
    gang.failures = std::min(gang.failures + 1, kFailuresMax);
    gang.backoff_until_ns = lifecycle_.gangs().backoff_until_ns(gang);
}

void GangAttempts::leave_behind(AskId id, const Gang& gang, std::uint32_t failed_predicates) {
    Commit& commit = lifecycle_.commit();
    commit.refund(id);
    commit.count_failure(id, failed_predicates, gang.backoff_until_ns, false);
    commit.join(id, AskEvent::fail);
}

}  // namespace bayplan
