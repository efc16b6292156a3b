// One attempt for a gang: its members one after another in one transaction, each to the best node as if those before it
// ran already; kept if that reaches the minimum, undone if not (rules/gangs.md).
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "commit/commit_observer.h"
#include "engine/attempts.h"
#include "engine/gang_preempting.h"
#include "engine/gang_reserving.h"

namespace bayplan {

class GangAttempts {
public:
    GangAttempts(World& world, const PredicateSet& predicates, Attempts& attempts, Lifecycle& lifecycle)
        : world_(world),
          predicates_(predicates),
          attempts_(attempts),
          lifecycle_(lifecycle),
          preempting_(world, predicates, attempts, lifecycle),
          reserving_(world, predicates, attempts, lifecycle) {}

    // The members are out of the order, and charged; afterwards each has a place or waits. As many attempts as members.
    void make(Element members);

private:
    struct Failure {
        AskId ask = kNone<AskId>;
        std::uint32_t failed_predicates = 0;
        std::string message;
        FailedAttempt told;
    };
    bool pass(const Gang&);
    void permit(GangId);
    bool try_member(AskId);
    void note_failure(AskId);
    void keep(Gang&);
    void join_failed(const Gang&);
    void give_up(Gang&);
    std::uint32_t failed_predicates() const;
    void clear_left_over(AskId);
    void perhaps_reserve(Gang&, GangPreemption&);
    bool is_due(const Gang&) const;
    void end_former(Gang&, const GangPreemption&);
    std::string why_former_ends(const Gang&, const GangPreemption&, AskId) const;
    void note_reservation(Gang&, const GangPreemption&);
    void forget_reservation(Gang&);
    void tell_failures(Gang&, const GangPreemption&, std::uint32_t failed_predicates);
    // It has failed once more, with its gang.
    void charge_failure(AskId, const Gang&, std::uint32_t failed_predicates);
    void count_failure(Gang&);

    World& world_;
    const PredicateSet& predicates_;
    Attempts& attempts_;
    Lifecycle& lifecycle_;
    GangPreempting preempting_;
    GangReserving reserving_;
    std::vector<AskId> members_;
    std::vector<AskId> placed_;
    std::deque<Failure> failures_;  // decisions refer to their texts
    std::deque<FailedAttempt> told_;
    std::uint64_t judged_at_ = 0;  // where the last failure was judged, and of which class
    ClassId judged_class_ = kNone<ClassId>;
};

}  // namespace bayplan
