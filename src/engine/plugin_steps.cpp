// The part of Lifecycle about asks whose specs name plugins: queries and how they end (rules/plugins.md).

#include <string>
#include <utility>

#include "base/check.h"
#include "base/lines.h"
#include "engine/byte_counts.h"
#include "engine/lifecycle.h"

namespace bayplan {

std::string plugin_names(const World& world, AskId id) {
    std::string text;
    for (const Text name : world.specs[world.classes.spec_of(world.asks[id])].plugins) {
        text += (text.empty() ? "plugin " : ", ") + std::string(world.texts.text(name));
    }
    return text;
}

// Tells of the open query, whose transaction is open too.
void Lifecycle::tell_query(AskId id, Slot slot, const PluginQuery& query, bool is_attempt, std::uint32_t wakes) {
    commit_.happened({.kind = Happening::Kind::queried,
                      .tell = is_attempt,
                      .ask = id,
                      .slot = slot,
                      .wakes = wakes,
                      .query = &query});
    commit_.finish();
    count_queries(world_.asks[id].shim, +1);
}

void Lifecycle::ask_about_victims(AskId id, Slot slot, const VictimOffer& offer) {
    PluginTable::Offer offered;
    offered.needed = offer.needed;
    std::string names;
    for (const AskId pod : offer.pods) {
        offered.victims.push_back(world_.asks.handle(pod));
        append_line(names, full_name(world_, pod));
    }
    const std::uint64_t number = world_.plugins.ask_about_victims(id, slot, std::move(offered), world_.now_ns,
                                                                  world_.now_ns + world_.options.plugins.deadline_ns);
    commit_.refund(id);
    commit_.join(id, AskEvent::ask_victims);
    const PluginQuery query{.number = number, .others = names, .needed = offer.needed, .violations = offer.violations};
    commit_.happened({.kind = Happening::Kind::victims_queried, .ask = id, .slot = slot, .query = &query});
    commit_.finish();
    count_queries(world_.asks[id].shim, +1);
}

void Lifecycle::end_asking(AskId id) {
    commit_.join(id, AskEvent::deny);
    commit_.finish();
}

void Lifecycle::count_queries(ShimId id, int change) {
    world_.shims[id].queries += static_cast<std::uint32_t>(change);
    credit_changed(id);
}

void Lifecycle::query(AskId id, Slot slot, const std::vector<NodeKey>& others, NodeKey key) {
    const std::int64_t rank_time_ns = world_.asks.waiting(id).key.time_ns;
    std::optional<PluginTable::RestingNomination> nomination;
    if (const Nomination* const own = world_.asks[id].has_entries ? world_.nominations.of(id) : nullptr;
        own != nullptr) {
        nomination = {own->slot, world_.plugins.moment_of(own->slot).comings, own->victims, own->for_guarantee};
    }
    std::vector<Slot> nodes{slot};
    std::string names;
    std::string totals;  // R-PLUGIN-66; a score that is the same for all nodes may be in none of the keys
    for (const NodeKey other : others) {
        nodes.push_back(slot_of(other));
        append_line(names, world_.nodes.name(slot_of(other)));
        if (key != 0) {
            append_line(totals, std::to_string(score_of(other) - score_of(key)));
        }
    }
    if (!totals.empty()) {
        totals.insert(0, "0\n");
    }
    const std::uint32_t wakes = take_place(id, slot, AskEvent::query, {});
    const std::uint64_t number =
        world_.plugins.ask(id, nodes, world_.now_ns, world_.now_ns + world_.options.plugins.deadline_ns, rank_time_ns);
    world_.plugins.rest(id, std::move(nomination));
    tell_query(id, slot, {.number = number, .others = names, .totals = totals}, true, wakes);
}

void Lifecycle::query_again(AskId id) {
    const std::int64_t rank_time_ns = world_.plugins.of(id)->rank_time_ns;
    const Slot slot = world_.asks[id].slot;
    const std::vector<Slot> nodes{slot};
    const std::uint64_t number =
        world_.plugins.ask(id, nodes, world_.now_ns, world_.now_ns + world_.options.plugins.deadline_ns, rank_time_ns);
    tell_query(id, slot, {.number = number, .others = {}}, false, 0);
}

void Lifecycle::forget_plugins(AskId id) {
    const PluginTable::Entry* const entry = world_.plugins.of(id);
    if (entry == nullptr) {
        return;
    }
    const ShimId shim = world_.asks[id].shim;
    const bool open = entry->query != 0;
    world_.bytes.give_back(world_.shims[shim].bytes, entry->bytes);
    world_.plugins.forget(id);
    if (open) {
        count_queries(shim, -1);
    }
}

void Lifecycle::confirm(AskId id) {
    forget_plugins(id);
    commit_.confirm(id);
    commit_.happened({.kind = Happening::Kind::confirmed, .ask = id, .slot = world_.asks[id].slot});
    commit_.finish();
}

// Off its node, with its old rank.
void Lifecycle::leave_queried_node(AskId id) {
    BP_CHECK(world_.asks[id].state == AskState::queried);
    const PluginTable::Entry& entry = *world_.plugins.of(id);
    end_allocation(id);
    world_.asks.waiting(id).key.time_ns = entry.rank_time_ns;
    // Unless the node has gone meanwhile.
    if (entry.nomination && world_.plugins.moment_of(entry.nomination->slot).comings == entry.nomination->comings) {
        commit_.nominate(id, entry.nomination->slot, entry.nomination->victims, entry.nomination->for_guarantee);
    }
    world_.plugins.rest(id, std::nullopt);
}

void Lifecycle::deny(AskId id, const std::string& why) {
    const Slot slot = world_.asks[id].slot;
    leave_queried_node(id);
    commit_.join(id, AskEvent::deny);
    commit_.happened({.kind = Happening::Kind::denied,
                      .tell = false,
                      .ask = id,
                      .slot = slot,
                      .wakes = kPodGone,
                      .why = commit_.text(why)});
    commit_.finish();
}

void Lifecycle::unanswered(AskId id, const std::string& why) {
    const bool asking = world_.asks[id].state == AskState::asking;
    const Slot slot = asking ? world_.plugins.of(id)->asked.front().slot : world_.asks[id].slot;
    if (!asking) {
        leave_queried_node(id);
    }
    commit_.count_failure(id, 0, backoff_until_ns(world_.asks[id]), true);
    commit_.join(id, AskEvent::unanswered);
    commit_.happened({.kind = Happening::Kind::denied,
                      .ask = id,
                      .slot = slot,
                      .wakes = asking ? 0u : std::uint32_t{kPodGone},
                      .why = commit_.text(why)});
    commit_.finish();
    forget_plugins(id);
}

void Lifecycle::end_query(AskId id, std::uint32_t wakes) {
    if (world_.asks[id].state == AskState::asking) {
        end_asking(id);
        forget_plugins(id);
        return;
    }
    const Slot slot = world_.asks[id].slot;
    leave_queried_node(id);
    commit_.join(id, AskEvent::deny);
    commit_.happened({.kind = Happening::Kind::allocation_ended, .ask = id, .slot = slot, .wakes = wakes});
    commit_.finish();
    forget_plugins(id);
}

// Part of the preemptor's transaction.
void Lifecycle::give_way(AskId id, const std::string& why) {
    const Slot slot = world_.asks[id].slot;
    leave_queried_node(id);
    commit_.join(id, AskEvent::deny);
    commit_.happened(
        {.kind = Happening::Kind::denied, .tell = false, .ask = id, .slot = slot, .why = commit_.text(why)});
    forget_plugins(id);
}

void Lifecycle::end_overdue_queries() {
    const std::string text =
        " did not answer in " + std::to_string(world_.options.plugins.deadline_ns / 1'000'000) + " ms";
    for (AskId id = world_.plugins.overdue(world_.now_ns); id != kNone<AskId>;
         id = world_.plugins.overdue(world_.now_ns)) {
        unanswered(id, plugin_names(world_, id) + text);
    }
}

void Lifecycle::back_off_for_plugins(AskId id) {
    forget_plugins(id);
    commit_.withdraw(id);
    // Never tried early: it would be asked about again and again.
    world_.asks.waiting(id).nacked = true;
    commit_.join(id, AskEvent::back_off);
    commit_.finish();
}

}  // namespace bayplan
