// See placeholder_steps.h.
#include "engine/placeholder_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/ask_state.h"
#include "cluster/amount_lists.h"
#include "engine/lifecycle.h"

namespace bayplan {

using queue_tree::ApplicationState;

namespace {

constexpr std::string_view kOver = "not all placeholders were placed in time";
constexpr std::string_view kUnused = "the placeholder was not used in time";

}  // namespace

TaskGroupName PlaceholderSteps::group_of(AskId id) const {
    const Ask& ask = world_.asks[id];
    return {ask.application, ask.group};
}

// --- inputs

void PlaceholderSteps::application_comes(ApplicationId id, GangStyle style, std::int64_t timeout_ns) {
    PlaceholderTerms& terms = world_.placeholders.terms[id];
    terms.style = style;
    if (timeout_ns > 0) {
        terms.timeout_ns = timeout_ns;
    }
}

void PlaceholderSteps::application_goes(ApplicationId id) {
    if (const auto found = world_.placeholders.terms.find(id); found != world_.placeholders.terms.end()) {
        stop_clock(found->second, id);
        world_.placeholders.terms.erase(found);
    }
}

void PlaceholderSteps::comes(AskId id) {
    Placeholders& all = world_.placeholders;
    const Ask& ask = world_.asks[id];
    ++all.terms[ask.application].count;
    all.groups[group_of(id)].open.emplace(ask.sequence, id);
}

bool PlaceholderSteps::holds_up(AskId id) {
    const Ask& ask = world_.asks[id];
    if (world_.placeholders.groups.empty() || ask.placeholder || !is_plain_group(ask.group)) {
        return false;
    }
    const auto found = world_.placeholders.groups.find(group_of(id));
    if (found == world_.placeholders.groups.end() || found->second.open.empty()) {
        return false;
    }
    found->second.held.emplace(ask.sequence, id);
    found->second.fresh_held.insert(ask.sequence);
    world_.placeholders.held_in[id] = found->first;
    touch(id);
    return true;
}

bool PlaceholderSteps::waits(AskId id) const {
    const Placeholders& all = world_.placeholders;
    const auto found = all.groups.find(group_of(id));
    return all.takes.contains(id) || all.due.contains(world_.asks[id].sequence) ||
           (found != all.groups.end() && found->second.held.contains(world_.asks[id].sequence));
}

bool PlaceholderSteps::was_sent_away(AskId placeholder) const {
    const auto group = world_.placeholders.groups.find(group_of(placeholder));
    return group == world_.placeholders.groups.end() || !group->second.open.contains(world_.asks[placeholder].sequence);
}

void PlaceholderSteps::restated(AskId id) {
    const auto group = world_.placeholders.groups.find(group_of(id));
    if (group != world_.placeholders.groups.end()) {
        note_fresh(id, group->second);
        touch(id);
    }
}

void PlaceholderSteps::note_fresh(AskId id, TaskGroup& group) {
    const Ask& ask = world_.asks[id];
    (ask.placeholder ? group.fresh_open : group.fresh_held).insert(ask.sequence);
}

void PlaceholderSteps::forget(AskId id) {
    Placeholders& all = world_.placeholders;
    if (all.terms.empty()) {
        return;
    }
    if (const auto taken = all.takes.find(id); taken != all.takes.end()) {
        all.taken_by.erase(taken->second);
        all.takes.erase(taken);
    }
    all.due.erase(world_.asks[id].sequence);
    if (const auto where = all.held_in.find(id); where != all.held_in.end()) {
        const auto group = all.groups.find(where->second);
        leave(id);
        if (group->second.empty()) {
            all.groups.erase(group);
        }
    }
}

// It waits for a placeholder no more.
void PlaceholderSteps::leave(AskId id) {
    Placeholders& all = world_.placeholders;
    const auto where = all.held_in.find(id);
    all.groups.at(where->second).held.erase(world_.asks[id].sequence);
    all.held_in.erase(where);
}

void PlaceholderSteps::goes(AskId id, Slot slot) {
    Placeholders& all = world_.placeholders;
    const Ask& ask = world_.asks[id];
    if (all.terms.empty() || ask.application == kNone<ApplicationId>) {
        return;
    }
    forget(id);
    if (!ask.placeholder) {
        return;
    }
    if (const auto group = all.groups.find(group_of(id)); group != all.groups.end()) {
        group->second.open.erase(ask.sequence);
        group->second.fresh_open.erase(ask.sequence);
        touch(id);
    }
    if (const auto taken = all.taken_by.find(id); taken != all.taken_by.end()) {
        const AskId taker = taken->second;
        all.due.insert({world_.asks[taker].sequence, {taker, std::string(world_.nodes.name(slot))}});
        all.takes.erase(taker);
        all.taken_by.erase(taken);
    }
    PlaceholderTerms& terms = all.terms.at(ask.application);
    if (--terms.count == 0) {
        stop_clock(terms, ask.application);
        terms.is_over = false;
        if (world_.tree->application(ask.application).state == ApplicationState::resuming) {
            world_.tree->resume(ask.application);
        }
    }
}

bool PlaceholderSteps::refuses_asks(ApplicationId id) const {
    if (world_.tree == nullptr || id == kNone<ApplicationId>) {
        return false;
    }
    const ApplicationState state = world_.tree->application(id).state;
    return state == ApplicationState::failing || state == ApplicationState::failed;
}

// --- afterwards

void PlaceholderSteps::observe(const Happening& happening) {
    using Kind = Happening::Kind;
    if ((happening.kind != Kind::placed && happening.kind != Kind::confirmed && happening.kind != Kind::started) ||
        !world_.asks[happening.ask].placeholder) {
        return;
    }
    start_clock(happening.ask);
    restated(happening.ask);
    touch(happening.ask);
}

void PlaceholderSteps::settle() {
    Placeholders& all = world_.placeholders;
    if (all.touched.empty()) {
        return;
    }
    const std::set<TaskGroupName> touched = std::exchange(all.touched, {});
    std::map<std::uint64_t, AskId> held;  // whose lot may be another one
    std::set<TaskGroupName> all_placed;
    for (const TaskGroupName& name : touched) {
        const auto found = all.groups.find(name);
        if (found == all.groups.end()) {
            continue;
        }
        const TaskGroup& group = found->second;
        const bool placed = std::ranges::all_of(
            group.open, [&](const auto& one) { return is_allocated(world_.asks[one.second].state); });
        if (placed) {
            all_placed.insert(name);
        }
        if (placed || !group.fresh_open.empty()) {
            held.insert(group.held.begin(), group.held.end());
        } else {
            for (const std::uint64_t sequence : group.fresh_held) {
                if (const auto one = group.held.find(sequence); one != group.held.end()) {
                    held.insert(*one);
                }
            }
        }
    }
    for (const auto& [sequence, id] : held) {
        settle(id, all_placed.contains(all.held_in.at(id)));
    }
    for (const TaskGroupName& name : touched) {
        if (const auto group = all.groups.find(name); group != all.groups.end()) {
            group->second.fresh_open.clear();
            group->second.fresh_held.clear();
            if (group->second.empty()) {
                all.groups.erase(group);
            }
        }
    }
}

// `all_placed`: every placeholder that is left to its group has a node.
void PlaceholderSteps::settle(AskId held, bool all_placed) {
    TaskGroup& group = world_.placeholders.groups.at(world_.placeholders.held_in.at(held));
    const auto suits = [&](AskId placeholder) {
        return is_allocated(world_.asks[placeholder].state) && covers(placeholder, held);
    };
    if (group.fresh_held.contains(world_.asks[held].sequence)) {
        const auto found = std::ranges::find_if(group.open, [&](const auto& one) { return suits(one.second); });
        if (found != group.open.end()) {
            return take_over(held, found->second);
        }
    } else {
        for (const std::uint64_t sequence : group.fresh_open) {
            const auto found = group.open.find(sequence);
            if (found != group.open.end() && suits(found->second)) {
                return take_over(held, found->second);
            }
        }
    }
    if (all_placed) {
        let_go(held);
    }
}

bool PlaceholderSteps::covers(AskId placeholder, AskId id) const {
    const std::vector<ResourceAmount>& kept = world_.classes[world_.asks[placeholder].ask_class].spec->requests;
    const std::vector<ResourceAmount>& wanted = world_.classes[world_.asks[id].ask_class].spec->requests;
    return std::ranges::all_of(wanted,
                               [&](const ResourceAmount& one) { return one.value <= amount_of(kept, one.resource); });
}

void PlaceholderSteps::take_over(AskId id, AskId placeholder) {
    Placeholders& all = world_.placeholders;
    leave(id);
    TaskGroup& group = all.groups.at(group_of(placeholder));
    group.open.erase(world_.asks[placeholder].sequence);
    group.fresh_open.erase(world_.asks[placeholder].sequence);
    all.takes.emplace(id, placeholder);
    all.taken_by.emplace(placeholder, id);
    send_away(placeholder, Termination::placeholder_replaced, "replaced by " + full_name(world_, id));
}

// No placeholder is left for it: it is tried like all others.
void PlaceholderSteps::let_go(AskId id) {
    leave(id);
    lifecycle_.make_pending(id, AskEvent::restate);
}

// Its shim is to delete it; it counts until it is gone.
void PlaceholderSteps::send_away(AskId id, Termination termination, const std::string& why) {
    const Ask& ask = world_.asks[id];
    Commit& commit = lifecycle_.commit();
    const bool was_terminating = ask.terminating;
    commit.set_flags(id, {.terminating = true, .preempted = ask.preempted, .chosen = ask.chosen, .told_to_go = true});
    commit.begin_departure(id, world_.now_ns);
    commit.happened({.kind = Happening::Kind::sent_away,
                     .ask = id,
                     .slot = ask.slot,
                     .termination = termination,
                     .wakes = was_terminating ? 0u : std::uint32_t{kPodPlaced},
                     .why = commit.text(why)});
    commit.finish();
}

// --- time

void PlaceholderSteps::start_clock(AskId placeholder) {
    const Ask& ask = world_.asks[placeholder];
    PlaceholderTerms& terms = world_.placeholders.terms.at(ask.application);
    if (terms.deadline_ns != INT64_MAX || terms.is_over) {
        return;
    }
    const std::int64_t left_ns = INT64_MAX - 1 - world_.now_ns;
    terms.deadline_ns = world_.now_ns + std::min(terms.timeout_ns, left_ns);
    terms.came = world_.tree->application(ask.application).sequence;
    world_.placeholders.deadlines.insert({terms.deadline_ns, terms.came, ask.application});
}

void PlaceholderSteps::stop_clock(PlaceholderTerms& terms, ApplicationId id) {
    world_.placeholders.deadlines.erase({terms.deadline_ns, terms.came, id});
    terms.deadline_ns = INT64_MAX;
}

void PlaceholderSteps::tick() {
    while (world_.placeholders.next_deadline_ns() <= world_.now_ns) {
        time_is_up(std::get<2>(*world_.placeholders.deadlines.begin()));
    }
}

void PlaceholderSteps::time_is_up(ApplicationId application) {
    PlaceholderTerms& terms = world_.placeholders.terms.at(application);
    stop_clock(terms, application);
    terms.is_over = true;
    const bool started = world_.tree->application(application).state != ApplicationState::accepted;
    const bool fails = !started && terms.style == GangStyle::hard;
    if (!started) {
        world_.tree->give_up(application, fails ? ApplicationState::failing : ApplicationState::resuming);
    }
    std::vector<AskId> asks;
    const AskList<InApplication>& all = world_.applications[application].asks;
    for (AskId id = all.front(); id != kNone<AskId>; id = all.next(world_.asks, id)) {
        asks.push_back(id);
    }
    for (const AskId id : asks) {
        if (world_.asks[id].placeholder || fails) {
            end_ask(id, started);
        }
    }
}

void PlaceholderSteps::end_ask(AskId id, bool started) {
    Placeholders& all = world_.placeholders;
    const Ask& ask = world_.asks[id];
    const std::string why(started ? kUnused : kOver);
    if (ask.foreign || ask.state == AskState::awaiting_node) {
        return;
    }
    if (!is_allocated(ask.state)) {
        lifecycle_.commit().happened({.kind = Happening::Kind::sent_away,
                                      .ask = id,
                                      .termination = Termination::timeout,
                                      .why = lifecycle_.commit().text(why)});
        const bool frees = lifecycle_.frees(id);
        lifecycle_.remove(id, Termination::timeout);
        if (frees) {
            lifecycle_.wake(kPodGone);
        }
        return;
    }
    if (ask.placeholder && was_sent_away(id)) {
        return;  // it goes already
    }
    if (ask.placeholder) {
        TaskGroup& group = all.groups.at(group_of(id));
        group.open.erase(ask.sequence);
        group.fresh_open.erase(ask.sequence);
        touch(id);
    }
    send_away(id, Termination::timeout, why);
}

// --- asks whose placeholder has gone

AskId PlaceholderSteps::first_due() const {
    for (const auto& [sequence, due] : world_.placeholders.due) {
        if (world_.order->has_credit(world_.asks[due.ask].shim)) {
            return due.ask;
        }
    }
    return kNone<AskId>;
}

AskId PlaceholderSteps::take_due() {
    const AskId id = first_due();
    if (id == kNone<AskId>) {
        return id;
    }
    const auto due = world_.placeholders.due.find(world_.asks[id].sequence);
    const Slot slot = world_.nodes.find(due->second.node);
    if (slot != kNone<Slot> && world_.nominations.of(id) == nullptr) {
        lifecycle_.nominate(id, slot, {});
    }
    world_.placeholders.due.erase(due);
    world_.order->charge(id);
    change_state(world_.asks[id], AskEvent::select);
    return id;
}

std::string why_it_waits_for_a_placeholder(const World& world, AskId id) {
    const Placeholders& all = world.placeholders;
    const Ask& ask = world.asks[id];
    if (const auto taken = all.takes.find(id); taken != all.takes.end()) {
        return "takes over placeholder " + std::string(world.asks.key(taken->second)) + ", and waits for it to be gone";
    }
    if (all.due.contains(ask.sequence)) {
        return "its placeholder has gone: it is tried before all others";
    }
    const auto group = all.groups.find({ask.application, ask.group});
    return group != all.groups.end() && group->second.held.contains(ask.sequence)
               ? "waits for a placeholder of its task group to get a node"
               : "";
}

}  // namespace bayplan
