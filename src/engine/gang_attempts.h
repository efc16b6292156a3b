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
#include "engine/gang_domains.h"
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
          domains_(world, predicates),
          preempting_(world, predicates, attempts, lifecycle, domains_),
          reserving_(world, predicates, attempts, lifecycle, domains_) {}

    // The members are out of the order, and charged; afterwards each has a place or waits. As many attempts as members.
    void make(Element members);

private:
    struct Failure {
        AskId ask = kNone<AskId>;
        std::uint32_t failed_predicates = 0;
        std::string message;
        FailedAttempt told;
    };
    bool pass(const Gang&, const Commit::Mark& before);
    bool pass_in_domains(const Gang&, const Commit::Mark& before);
    bool pass_over_members(const Gang&, const GangDomain*);
    void begin_anew(const Commit::Mark& before);
    void permit(GangId);
    Slot find_node_to_hold(const Gang&, AskId);
    void fail_to_hold(const Gang&, AskId);
    bool try_member(const Gang&, AskId, const GangDomain*);
    void note_failure(AskId);
    void tell(Failure&);
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
    GangDomains domains_;
    GangPreempting preempting_;
    GangReserving reserving_;
    std::vector<AskId> members_;
    std::vector<AskId> placed_;
    std::deque<Failure> failures_;  // decisions refer to their texts
    std::deque<FailedAttempt> told_;
    std::size_t reached_ = 0;              // members with nodes when the pass ended
    std::string where_;                    // that was, if the gang has a topology
    std::uint32_t failed_in_domains_ = 0;  // predicates
    std::uint64_t judged_at_ = 0;          // where the last failure was judged, and of which class
    ClassId judged_class_ = kNone<ClassId>;
};

}  // namespace bayplan
