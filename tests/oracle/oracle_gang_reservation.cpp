// Nodes reserved for an old gang, naively: rules/gangs.md, "Reservations".
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle_gang_preemption.h"
#include "oracle_look.h"

namespace bayplan::oracle {

bool Oracle::GangReservations::is_due(const std::string& key) const {
    const Gang& gang = oracle_.gangs_.at(key);
    const std::int64_t after = oracle_.options_.coscheduling.reserve_after_ns;
    return after > 0 && oracle_.options_.preemption.enabled && gang.first_failed &&
           oracle_.now_ - *gang.first_failed >= after &&
           (oracle_.reserved_.empty() || oracle_.gangs_.at(oracle_.reserved_).priority < gang.priority);
}

void Oracle::GangReservations::perhaps_reserve(const std::string& key, const std::vector<Ask*>& waiting,
                                               GangPreemption& found) {
    const bool has = key == oracle_.reserved_;
    if (has && stands(waiting)) {
        oracle_.saw("a reservation stands");
        found.keeps = true;
        return;
    }
    if (!has && !is_due(key)) {
        return;
    }
    if (!has && found.keeps && oracle_.gangs_.at(key).nominated > 0) {
        oracle_.saw("due for a reservation, and nominated");
        return;
    }
    const GangPreemption reserved = GangSearch(oracle_, waiting).run_reserving();
    oracle_.saw(reserved.nominations.empty() ? "nothing to reserve" : has ? "reserved anew" : "nodes reserved");
    found.keeps = false;
    found.nominations = reserved.nominations;
    found.failed_by.insert(reserved.failed_by.begin(), reserved.failed_by.end());
    found.reserves = !reserved.nominations.empty();
}

Oracle::GangPreemption Oracle::GangSearch::run_reserving() {
    reserving_ = true;
    in_turn([&] {
        order_.clear();
        at_ = 0;
        look_for_nodes();
        if (looks_ > 262'144) {
            found_.nominations.clear();
        }
        restore();
        return !found_.nominations.empty() || looks_ > 262'144;
    });
    return found_;
}

std::optional<KubeVictims> Oracle::GangSearch::look_at(const KubeState& state, const Ask& member,
                                                       const KubeAnswer& answer, const std::string& node) {
    return ++looks_ > 262'144 ? std::nullopt : waited_for_on(state, member.pod, answer, node, found_.failed_by);
}

// Fewest pods first, then by slot.
std::vector<std::string> Oracle::GangSearch::order_of_nodes(const KubeAnswer& answer) const {
    std::vector<std::string> order;
    for (const NodeExplanation& node : answer.explanation.nodes) {
        order.push_back(node.node);
    }
    const auto pods_on = [&](const std::string& node) {
        return std::ranges::count_if(oracle_.asks_, [&](const auto& one) { return one.second.node == node; });
    };
    std::ranges::stable_sort(order, {}, pods_on);
    return order;
}

void Oracle::GangSearch::wait_for_room(Ask& member, const Look& look) {
    if (needs_plugins(member) || !may_follow(look.state, look.answer)) {
        return;
    }
    KubeState state = look.state;
    state.reserving = true;
    for (const Ask* own : oracle_.members(member.gang)) {
        state.own_gang.insert(&own->pod);
    }
    if (order_.empty()) {
        order_ = order_of_nodes(look.answer);
    }
    for (std::size_t step = 0; step < order_.size(); ++step) {
        const std::size_t at = (at_ + step) % order_.size();
        const bool helps = std::ranges::any_of(look.answer.explanation.nodes, [&](const NodeExplanation& node) {
            return node.node == order_[at] && node.verdict == Verdict::unschedulable;
        });
        const auto found = helps ? look_at(state, member, look.answer, order_[at]) : std::optional<KubeVictims>();
        if (!found) {
            continue;
        }
        at_ = at;
        for (const KubePod* pod : found->victims) {
            take_off(pod->sequence);
        }
        GangNomination one;
        one.ask = member.sequence;
        one.node = order_[at];
        one.costs = costs_text({}, 0);
        oracle_.stand_on(member, one.node, oracle_.bindings_on(member, one.node));
        found_.nominations.push_back(one);
        return;
    }
}

bool Oracle::GangReservations::stands(const std::vector<Ask*>& waiting) {
    const Gang& gang = oracle_.gangs_.at(waiting.front()->gang);
    return oracle_.assigned(waiting.front()->gang) + gang.nominated >= gang.minimum &&
           GangSearch(oracle_, waiting).stands();
}

// One member after the other, once all that is waited for on their nodes has ended.
bool Oracle::GangSearch::stands() {
    const std::string key = waiting_.front()->gang;
    const Gang& gang = oracle_.gangs_.at(key);
    if (GangDomains(oracle_).bind(gang)) {
        const std::vector<GangDomains::Domain> domains = GangDomains(oracle_).in_order(key, waiting_, false);
        if (domains.empty()) {
            return false;
        }
        domain_ = domains.front();
    }
    take_off_pools();
    bool all = true;
    for (Ask* member : waiting_) {
        if (!all || member->nominated_node.empty()) {
            continue;
        }
        const std::string node = member->nominated_node;
        const GangDomains::Narrowed narrowed(*member, gang, domain_ ? &*domain_ : nullptr);
        const KubeObjects objects = oracle_.assumed_objects();
        all = !why_not(oracle_.state_for(*member, objects), member->pod, oracle_.nodes_.at(node).facts);
        if (all) {
            oracle_.stand_on(*member, node, oracle_.bindings_on(*member, node));
        }
    }
    restore();
    return all;
}

void Oracle::GangSearch::take_off_pools() {
    for (const Ask* member : waiting_) {
        for (auto& [sequence, pod] : oracle_.asks_) {
            if (!member->nominated_node.empty() && pod.node == member->nominated_node &&
                GangReservations::may_be_waited_for(pod, *member)) {
                take_off(sequence);
            }
        }
    }
}

void Oracle::GangReservations::note(const std::string& key, const GangPreemption& found) {
    const bool has = key == oracle_.reserved_;
    if (has && !found.keeps && !found.reserves) {
        oracle_.saw(found.nominations.empty() ? "a reservation finds nothing any more"
                                              : "a preemption replaces a reservation");
        forget(key);
    }
    if (!has && found.reserves) {
        oracle_.reserved_ = key;
        oracle_.gangs_.at(key).reserved_until = oracle_.now_ + oracle_.options_.coscheduling.reserve_for_ns;
    }
    Gang& gang = oracle_.gangs_.at(key);
    gang.first_failed = std::min(gang.first_failed.value_or(oracle_.now_), oracle_.now_);
}

void Oracle::GangReservations::forget(const std::string& key) {
    if (key == oracle_.reserved_) {
        oracle_.reserved_.clear();
    }
    oracle_.gangs_.at(key).first_failed.reset();
}

void Oracle::GangReservations::end(const std::string& why) {
    const std::string key = oracle_.reserved_;  // which is empty afterwards
    oracle_.end_nominations(key, "reservation ended: " + why);
}

void Oracle::GangReservations::end_overdue() {
    if (!oracle_.reserved_.empty() && oracle_.gangs_.at(oracle_.reserved_).reserved_until <= oracle_.now_) {
        oracle_.saw("a reservation is over");
        end("its time is over");
    }
}

}  // namespace bayplan::oracle
