// One node's pods as a question to the simple preemptor, and many such questions at once; see victims_ahead.h.
#include "engine/victims_ahead.h"

#include <algorithm>
#include <string>

#include "cluster/amount_lists.h"
#include "engine/reserving.h"

namespace bayplan {

namespace {

// Looked at together: some hundreds of microseconds of work, so that a turn stays short.
constexpr std::size_t kTogether = 64;
// Waking the workers takes as long as some looks.
constexpr std::size_t kTogetherMin = 8;

VictimClass class_of(const Ask& pod) {
    return pod.opted_out ? VictimClass::optout : pod.originator ? VictimClass::owner : VictimClass::regular;
}

VictimLook look_at_pods(const World& world, AskId id, Slot slot, const std::vector<ResourceAmount>& need) {
    VictimLook look;
    VictimQuestion question;
    question.priority = world.asks[id].priority;
    const std::vector<ResourceAmount>& asked = world.classes[world.asks[id].ask_class].spec->requests;
    for (const ResourceAmount& one : need) {
        look.needed.push_back(one.resource);
        question.needed.push_back({.asked = amount_of(asked, one.resource),
                                   .need = one.value,
                                   .has_size = world.resources.text(one.resource) != "pods"});
    }
    for (const AskId pod : world.nodes[slot].allocations) {
        const Ask& ask = world.asks[pod];
        if (ask.state == AskState::on_permit) {
            continue;
        }
        look.pods.push_back(pod);
        question.pods.push_back({.priority = ask.priority,
                                 .started_ms = ask.started_ms,
                                 .key = std::string(world.asks.key(pod).view()),
                                 .sequence = ask.sequence,
                                 .victim_class = class_of(ask),
                                 .daemonset = ask.daemonset,
                                 .terminating = ask.terminating,
                                 .is_static = ask.is_static,
                                 .foreign = ask.foreign});
        for (const ResourceId resource : look.needed) {
            question.amounts.push_back(amount_of(world.classes[ask.ask_class].spec->requests, resource));
        }
    }
    look.answer = choose_daemonset_victims(question, daemonset_options(world, id));
    return look;
}

}  // namespace

std::shared_ptr<const VictimLook> VictimsAhead::victims(AskId id, Slot slot, const Need& need) {
    const Reservation* const reservation = world_.reservations.of(id);
    if (workers_.count() > 0 && reservation != nullptr && may_be_ahead(id, *reservation)) {
        const auto made = findings_.find(id);
        if (made != findings_.end() && made->second.changed == reservation->changed && made->second.need == need) {
            return made->second.look;
        }
        const std::vector<AskId> due = due_with(id);
        if (worth_the_workers(due.size())) {
            look_at(due);
            return findings_.at(id).look;
        }
    }
    workers_.seen().note_this_thread();
    return std::make_shared<const VictimLook>(look_at_pods(world_, id, slot, need));
}

void VictimsAhead::look_at(const std::vector<AskId>& due) {
    ++together_;
    std::vector<Finding> found(due.size());
    workers_.run(static_cast<std::uint32_t>(due.size()), [&](std::uint32_t piece) {
        found[piece] = finding_of(due[piece], *world_.reservations.of(due[piece]));
    });
    if (findings_.size() > 4 * kTogether) {
        findings_.clear();
    }
    for (std::size_t one = 0; one < found.size(); ++one) {
        findings_.insert_or_assign(due[one], std::move(found[one]));
    }
}

std::vector<AskId> VictimsAhead::due_with(AskId first) const {
    std::vector<AskId> due = {first};
    std::size_t passed = 0;
    world_.reservations.for_each_to_look_at_after(first, [&](AskId id) {
        const Reservation& reservation = *world_.reservations.of(id);
        const std::int64_t age_ns = world_.now_ns - reservation.since_ns;
        const auto made = findings_.find(id);
        const bool has_one = made != findings_.end() && made->second.changed == reservation.changed;
        if (!has_one && may_be_ahead(id, reservation) && age_ns >= reservation.options.delay_ns) {
            due.push_back(id);
        }
        return ++passed < kTogether;
    });
    return due;
}

// Those behind another on their node hang on the steps of that one.
bool VictimsAhead::may_be_ahead(AskId id, const Reservation& reservation) const {
    return world_.reservations.on(reservation.slot).front() == id && !world_.asks[id].never_preempts;
}

bool VictimsAhead::worth_the_workers(std::size_t reservations) const {
    switch (world_.options.victim_path) {
        case VictimPath::workers: return workers_.count() > 0 && reservations > 1;
        case VictimPath::automatic: return workers_.count() > 0 && reservations >= kTogetherMin;
        case VictimPath::inline_:
        case VictimPath::plain: break;
    }
    return false;
}

VictimsAhead::Finding VictimsAhead::finding_of(AskId id, const Reservation& reservation) const {
    Need need = need_of_(id, reservation.slot);
    auto look = std::make_shared<const VictimLook>(look_at_pods(world_, id, reservation.slot, need));
    return {reservation.changed, std::move(need), std::move(look)};
}

}  // namespace bayplan
