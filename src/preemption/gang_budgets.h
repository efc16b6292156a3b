// Pods that groups placed whole can spare of their running members: a gang with its minimum running is a
// budget of those beyond it; a preemption that takes more breaks it, and takes it whole (rules/gangs.md).
//
// Thread: as budgets.h says of searches. Reads tables of the World.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "apps/ask_table.h"
#include "apps/gangs.h"

namespace bayplan {

class GangBudgets {
public:
    GangBudgets(const AskTable& asks, const Gangs& gangs) : asks_(asks), gangs_(gangs) {}

    bool empty() const { return gangs_.empty(); }
    // Pods of such a gang may be victims of an ask of this priority.
    bool any_below(std::int32_t priority) const { return gangs_.any_runs_below(priority); }

    // The rest while pods are counted one after another.
    class Left {
    public:
        explicit Left(const GangBudgets& of) : of_(of) {}
        // Takes the pod from what its gang can spare. True: it cannot spare that.
        bool exceeded_by(AskId);
        // Its gang can spare the pod beside those taken.
        bool can_spare(AskId) const;

    private:
        const GangBudgets& of_;
        std::map<GangId, std::int64_t> left_;
    };
    Left all() const { return Left(*this); }

    // The gangs that these victims break, in the order of the victims.
    std::vector<GangId> broken_by(const std::vector<AskId>& victims) const;
    // The other running members of those: gang by gang, the eldest first.
    std::vector<AskId> others_of_broken(const std::vector<AskId>& victims) const;
    // The gang that the pod runs in and counts for, or kNone.
    GangId runs_in(AskId) const;

private:
    const AskTable& asks_;
    const Gangs& gangs_;
};

}  // namespace bayplan
