// Counting victims by gang; see gang_budgets.h.
#include "preemption/gang_budgets.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_set.hpp>

namespace bayplan {

GangId GangBudgets::runs_in(AskId id) const {
    const Ask& ask = asks_[id];
    if (!is_coscheduled(ask.group) || ask.group == kFaultyGroup) {
        return kNone<GangId>;
    }
    const GangMember& member = gangs_.member(id);
    return member.assigned && !member.on_permit ? member.gang : kNone<GangId>;
}

bool GangBudgets::Left::exceeded_by(AskId pod) {
    const GangId id = of_.runs_in(pod);
    if (id == kNone<GangId>) {
        return false;
    }
    const Gang& gang = of_.gangs_[id];
    const std::uint32_t running = gang.assigned - gang.on_permit;
    if (running < gang.minimum) {
        return false;  // it is no budget
    }
    const std::int64_t spare = std::int64_t{running} - gang.minimum;
    return --left_.try_emplace(id, spare).first->second < 0;
}

bool GangBudgets::Left::can_spare(AskId pod) const {
    const GangId id = of_.runs_in(pod);
    if (id == kNone<GangId>) {
        return true;
    }
    const Gang& gang = of_.gangs_[id];
    const std::uint32_t running = gang.assigned - gang.on_permit;
    const auto counted = left_.find(id);
    return running < gang.minimum || (counted == left_.end() ? running > gang.minimum : counted->second > 0);
}

std::vector<GangId> GangBudgets::broken_by(const std::vector<AskId>& victims) const {
    std::vector<GangId> broken;
    if (empty()) {
        return broken;
    }
    Left left = all();
    for (const AskId victim : victims) {
        if (left.exceeded_by(victim)) {
            const GangId gang = runs_in(victim);
            if (std::find(broken.begin(), broken.end(), gang) == broken.end()) {
                broken.push_back(gang);
            }
        }
    }
    return broken;
}

std::vector<AskId> GangBudgets::others_of_broken(const std::vector<AskId>& victims) const {
    std::vector<AskId> others;
    const std::vector<GangId> broken = broken_by(victims);
    if (broken.empty()) {
        return others;
    }
    const boost::unordered_flat_set<AskId> going(victims.begin(), victims.end());
    for (const GangId gang : broken) {
        for (const MemberAge& member : gangs_[gang].members) {
            if (runs_in(member.ask) == gang && asks_[member.ask].slot != kNone<Slot> && !going.contains(member.ask)) {
                others.push_back(member.ask);
            }
        }
    }
    return others;
}

}  // namespace bayplan
