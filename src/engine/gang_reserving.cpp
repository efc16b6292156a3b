// The sequence of members, and the nodes for which they would wait; see gang_reserving.h.
#include "engine/gang_reserving.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace bayplan {

std::vector<MemberNomination> GangReserving::decide(const std::vector<AskId>& members, const Gang& gang) {
    failed_predicates_ = 0;
    looks_ = 0;
    looked_at_ = 0;
    domains_.search_in_turn(gang, members, looked_at_, [&](const GangDomain* domain) {
        domain_ = domain;
        return search(members, gang) || looks_ > kLooksMax;
    });
    return std::exchange(found_, {});
}

bool GangReserving::search(const std::vector<AskId>& members, const Gang& gang) {
    found_.clear();
    order_.clear();
    at_ = 0;
    failed_class_ = kNone<ClassId>;
    const Tentative tentative(lifecycle_.commit());
    std::size_t left = members.size();
    for (const AskId id : members) {
        const std::size_t reached = gang.assigned + found_.size();
        if (reached >= gang.minimum || reached + left < gang.minimum) {
            break;
        }
        --left;
        try_member(id);
    }
    const bool enough = gang.assigned + found_.size() >= gang.minimum && looks_ <= kLooksMax;
    if (!enough) {
        found_.clear();
    }
    return enough;
}

bool GangReserving::same_as_the_last_failure(AskId id) const {
    const std::uint64_t position = world_.node_state.log().head() + world_.topology.version();
    return failed_class_ == world_.asks[id].ask_class && failed_at_ == position && attempts_.shares_failures(id);
}

void GangReserving::try_member(AskId id) {
    ++looked_at_;
    const std::optional<NodeVictims> next = look_for(id);
    if (!next) {
        return;
    }
    for (const AskId pod : next->victims) {
        take_off(pod, next->slot);
    }
    take(id, next->slot);
}

// A node, and the pods there whose end is waited for.
std::optional<NodeVictims> GangReserving::look_for(AskId id) {
    const InDomain in(domains_, id, domain_);
    if (same_as_the_last_failure(id)) {
        looks_ += failed_looks_;
        return std::nullopt;
    }
    if (const Slot slot = attempts_.find_for_member(id); slot != kNone<Slot>) {
        return NodeVictims{slot, {}, {}};
    }
    Diagnoser diagnoser(world_, predicates_, id);
    const Diagnosis diagnosis = diagnoser.diagnose();
    failed_predicates_ |= diagnosis.failed_predicates;
    const bool follows = attempts_.preempting().follows(diagnosis) && !needs_plugins(world_, id);
    const std::size_t looks_before = looks_;
    std::optional<NodeVictims> next = follows ? next_for(id, *diagnosis.unschedulable) : std::nullopt;
    if (!next) {
        failed_class_ = attempts_.shares_failures(id) ? world_.asks[id].ask_class : kNone<ClassId>;
        failed_at_ = world_.node_state.log().head() + world_.topology.version();
        failed_looks_ = looks_ - looks_before;
    }
    return next;
}

// Once round the order from the node that was taken last: members alike fill node after node.
std::optional<NodeVictims> GangReserving::next_for(AskId id, const NodeMask& unschedulable) {
    if (order_.empty()) {
        put_in_order();
    }
    for (std::size_t step = 0; step < order_.size(); ++step) {
        const std::size_t at = (at_ + step) % order_.size();
        const Slot slot = order_[at];
        if ((unschedulable[block_of(slot)] >> lane_of(slot) & 1) == 0) {
            continue;
        }
        if (std::optional<NodeVictims> found = look_at(id, slot)) {
            at_ = at;
            return found;
        }
    }
    return std::nullopt;
}

// For all members: the fewer pods there are to wait for, the sooner they have ended.
void GangReserving::put_in_order() {
    std::vector<std::pair<std::size_t, Slot>> by_pods;
    for (std::uint32_t block = 0; block < world_.node_state.block_count(); ++block) {
        for (std::uint64_t left = world_.node_state.block(block).present; left != 0; left &= left - 1) {
            const Slot slot = slot_at(block, static_cast<std::uint32_t>(std::countr_zero(left)));
            by_pods.emplace_back(world_.nodes[slot].allocations.size(), slot);
        }
    }
    std::sort(by_pods.begin(), by_pods.end());
    for (const auto& [pods, slot] : by_pods) {
        order_.push_back(slot);
    }
}

// None too when the search has looked often enough.
std::optional<NodeVictims> GangReserving::look_at(AskId id, Slot slot) {
    if (++looks_ > kLooksMax) {
        return std::nullopt;
    }
    VictimFinding finding = search_.on_node(id, slot);
    failed_predicates_ |= finding.failed_predicates;
    return finding.choice && !finding.choice->victims.empty() ? std::move(finding.choice) : std::nullopt;
}

void GangReserving::take(AskId id, Slot slot) {
    lifecycle_.take_node(id, slot, AskEvent::place);
    found_.push_back({id, {slot, {}, {}}, 0});
}

void GangReserving::take_off(AskId pod, Slot slot) {
    lifecycle_.commit().vacate(pod);
    lifecycle_.commit().take_devices(pod, slot);
}

bool GangReserving::stands(const std::vector<AskId>& members, const Gang& gang) {
    if (gang.assigned + gang.nominated < gang.minimum) {
        return false;
    }
    const GangDomain* const domain = domains_.bind(gang) ? domains_.first(gang, members) : nullptr;
    if (domain == nullptr && domains_.bind(gang)) {
        return false;
    }
    const Tentative tentative(lifecycle_.commit());
    for (const AskId id : members) {
        const Nomination* const nomination = world_.nominations.of(id);
        if (nomination == nullptr) {
            continue;
        }
        const Slot slot = nomination->slot;
        std::vector<AskId> pool;
        for (const AskId pod : world_.nodes[slot].allocations) {
            if (may_be_waited_for(world_.asks[pod], world_.asks[id], world_.options.preemption)) {
                pool.push_back(pod);
            }
        }
        for (const AskId pod : pool) {
            take_off(pod, slot);
        }
    }
    return std::all_of(members.begin(), members.end(), [&](AskId id) {
        const Nomination* const nomination = world_.nominations.of(id);
        if (nomination == nullptr) {
            return true;
        }
        const Slot slot = nomination->slot;
        if (const InDomain in(domains_, id, domain); !NodeTrial(search_.tables(), id, slot).passes()) {
            return false;
        }
        lifecycle_.take_node(id, slot, AskEvent::place);
        return true;
    });
}

}  // namespace bayplan
