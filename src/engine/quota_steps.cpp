// Clocks of queues, and what comes of them; see quota_steps.h.
#include "engine/quota_steps.h"

#include <algorithm>
#include <chrono>

#include "apps/ask_state.h"
#include "engine/guaranteeing.h"
#include "engine/lifecycle.h"

namespace bayplan {

using queue_tree::kNoQueue;
using queue_tree::QueueId;

void QuotaSteps::settle() {
    if (world_.resyncs.holding > 0) {
        return;
    }
    if (!is_on()) {
        stop();
        return;
    }
    watch();
    if (any_watched_ || !world_.quota_clocks.by_path.empty()) {
        nominated_.reset();
        look();
        shrink_due();
    }
}

std::int64_t QuotaSteps::next_time_ns() const {
    return world_.resyncs.holding > 0 ? INT64_MAX : world_.quota_clocks.next_time_ns;
}

std::string over_maxima(const World& world, AskId id) {
    const queue_tree::QueueTable& queues = world.tree->queues();
    std::string text;
    for (QueueId at = world.tree->leaf_of(world.asks[id].application); at != kNoQueue; at = queues.parent(at)) {
        if (const auto& over = queues[at].over_max) {
            text += "; queue " + queues[at].path + " is over its maximum since " + std::to_string(over->since_ns) +
                    " ns, and sends pods away at " + std::to_string(over->due_ns) + " ns";
        }
    }
    return text;
}

// --- which queues

bool QuotaSteps::is_on() const {
    return world_.queues_config != nullptr && world_.queues_config->quota_preemption_enabled &&
           world_.options.preemption.enabled;
}

void QuotaSteps::stop() {
    if (seen_queues_ == 0) {
        return;
    }
    seen_queues_ = 0;
    any_watched_ = false;
    world_.quota_clocks = {};
    tell_queues();
    world_.tree->tree().guarantees().note_growth(false);
}

// After a change of what queues there are, or of what they may have.
void QuotaSteps::watch() {
    const queue_tree::QueueTable& queues = world_.tree->queues();
    if (seen_queues_ == queues.version()) {
        return;
    }
    seen_queues_ = queues.version();
    any_watched_ = false;
    maxima_.assign(queues.end(), {});
    for (std::uint32_t at = 0; at < queues.end(); ++at) {
        const queue_tree::Queue& queue = queues[QueueId{at}];
        if (!queue.exists || !queue.managed || queue.settings.quota_preemption_delay.count() == 0) {
            continue;
        }
        for (const auto& [name, most] : queue.max) {
            maxima_[at].push_back({world_.tree->tree().resource(name), most});
        }
        any_watched_ = any_watched_ || !maxima_[at].empty();
    }
    all_anew_ = true;
    world_.tree->tree().guarantees().note_growth(any_watched_);
}

bool QuotaSteps::is_watched(QueueId id) const { return id != kNoQueue && !maxima_[raw(id)].empty(); }

std::int64_t QuotaSteps::due_ns(QueueId id, const QuotaClock& clock) const {
    constexpr std::int64_t kLeastInVain = 1'000'000'000;  // R-QUOTA-23
    const std::int64_t delay =
        std::chrono::nanoseconds(world_.tree->queues()[id].settings.quota_preemption_delay).count();
    return clock.since_ns + std::min(clock.in_vain ? std::max(delay, kLeastInVain) : delay, INT64_MAX - clock.since_ns);
}

// --- what they run too much of

Excess QuotaSteps::excess_of(QueueId id) {
    Excess excess;
    const queue_tree::Guarantees& held = world_.tree->tree().guarantees();
    for (const queue_tree::Amount& most : maxima_[raw(id)]) {
        std::int64_t over = held.held(id, most.resource) - most.value;
        over -= over > 0 ? nominated(id, most.resource) : 0;
        if (over > 0) {
            excess.push_back({most.resource, over});
        }
    }
    return excess;
}

std::int64_t QuotaSteps::nominated(QueueId queue, std::uint32_t resource) {
    if (!nominated_) {
        const queue_tree::Guarantees& held = world_.tree->tree().guarantees();
        nominated_.emplace();
        world_.nominations.for_each_node([&](Slot slot) {
            for (const AskId id : world_.nominations.on(slot)) {
                if (is_on_node(world_.asks[id].state) || !held.holds(id)) {
                    continue;
                }
                for (QueueId at = held.leaf_of(id); at != kNoQueue; at = world_.tree->queues()[at].parent) {
                    for (const queue_tree::Amount& amount : held.held_by(id)) {
                        (*nominated_)[{raw(at), amount.resource}] += amount.value;
                    }
                }
            }
        });
    }
    const auto found = nominated_->find({raw(queue), resource});
    return found == nominated_->end() ? 0 : found->second;
}

// --- clocks

void QuotaSteps::look() {
    queue_tree::Guarantees& held = guarantees_of(world_);
    const std::vector<QueueId> grown = held.take_grown();
    const std::uint64_t holding = world_.tree->holding_version();
    if (grown.empty() && !all_anew_ && std::exchange(seen_holding_, holding) == holding) {
        return;
    }
    seen_holding_ = holding;
    look_at_clocks();
    if (std::exchange(all_anew_, false)) {
        for (std::uint32_t at = 0; at < maxima_.size(); ++at) {
            begin_clock(QueueId{at});
        }
    } else {
        for (const QueueId id : grown) {
            begin_clock(id);
        }
    }
    note_next_time();
}

// Those end whose queues are not over any more; a reload may have given others another delay.
void QuotaSteps::look_at_clocks() {
    for (auto clock = world_.quota_clocks.by_path.begin(); clock != world_.quota_clocks.by_path.end();) {
        const QueueId id = world_.tree->queues().find(clock->first);
        if (!is_watched(id) || excess_of(id).empty()) {
            clock = world_.quota_clocks.by_path.erase(clock);
        } else {
            clock->second.due_ns = due_ns(id, clock->second);
            ++clock;
        }
    }
}

void QuotaSteps::begin_clock(QueueId id) {
    if (is_watched(id) && !excess_of(id).empty()) {
        const auto [clock, is_new] = world_.quota_clocks.by_path.try_emplace(world_.tree->queues()[id].path);
        if (is_new) {
            clock->second.since_ns = clock->second.over_since_ns = world_.now_ns;
            clock->second.due_ns = due_ns(id, clock->second);
        }
    }
}

void QuotaSteps::note_next_time() {
    QuotaClocks& clocks = world_.quota_clocks;
    clocks.next_due_ns = clocks.next_time_ns = INT64_MAX;
    for (const auto& [path, clock] : clocks.by_path) {
        clocks.next_due_ns = std::min(clocks.next_due_ns, clock.due_ns);
        clocks.next_time_ns = clock.in_vain ? clocks.next_time_ns : std::min(clocks.next_time_ns, clock.due_ns);
    }
    tell_queues();
}

// R-QUOTA-30.
void QuotaSteps::tell_queues() {
    queue_tree::QueueTable& queues = world_.tree->queues();
    const QuotaClocks& clocks = world_.quota_clocks;
    for (const QueueId id : told_) {
        if (queues[id].exists && !clocks.by_path.contains(queues[id].path)) {
            queues.set_over_max(id, std::nullopt);
        }
    }
    told_.clear();
    for (const auto& [path, clock] : clocks.by_path) {
        if (const QueueId id = queues.find(path); id != kNoQueue) {
            queues.set_over_max(id, queue_tree::OverMax{clock.over_since_ns, clock.due_ns});
            told_.push_back(id);
        }
    }
}

// --- shrinking

void QuotaSteps::shrink_due() {
    QuotaClocks& clocks = world_.quota_clocks;
    if (clocks.next_due_ns > world_.now_ns) {
        return;
    }
    for (auto clock = clocks.by_path.begin(); clock != clocks.by_path.end();) {
        const QueueId id = world_.tree->queues().find(clock->first);
        const Excess excess = excess_of(id);
        if (excess.empty()) {
            clock = clocks.by_path.erase(clock);  // its children have let go of enough
            continue;
        }
        if (clock->second.due_ns <= world_.now_ns) {
            shrink(id, clock->second, excess);
        }
        clock = excess_of(id).empty() ? clocks.by_path.erase(clock) : std::next(clock);
    }
    note_next_time();
}

void QuotaSteps::shrink(QueueId id, QuotaClock& clock, const Excess& excess) {
    const std::vector<AskId> victims = victims_.find(id, excess);
    clock = {.since_ns = world_.now_ns, .over_since_ns = clock.over_since_ns, .in_vain = victims.empty()};
    clock.due_ns = due_ns(id, clock);
    if (victims.empty()) {
        return;
    }
    ++counters_.preemptions;
    counters_.victims += victims.size();
    lifecycle_.send_away(victims, "preempted for the maximum of " + world_.tree->queues()[id].path);
    lifecycle_.gangs().settle();
    nominated_.reset();
    guarantees_of(world_);  // without the victims, for the next queue
}

}  // namespace bayplan
