// One function for each group of tables. See world_digest.h.

#include "world_digest.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "apps/ask_state.h"

namespace bayplan::testing {

namespace {

template <typename Each>
void for_each_node(const World& world, Each&& each) {
    for (std::uint32_t number = 0; number < world.nodes.slot_count(); ++number) {
        if (world.nodes[static_cast<Slot>(number)].name != kNone<NameId>) {
            each(static_cast<Slot>(number));
        }
    }
}

void columns(World& world, Slot slot, WorldDigest& digest) {
    const NodeBlock& block = world.node_state.block(block_of(slot));
    const std::uint32_t lane = lane_of(slot);
    std::ostringstream used;
    std::ostringstream held;
    for (std::size_t resource = 0; resource < block.resources.size(); ++resource) {
        // A column that is there and empty says as much as none.
        const ResourceColumns& of = block.resources[resource] ? *block.resources[resource] : kNoColumns;
        if (of.used[lane] != 0 || of.foreign[lane] != 0) {
            used << ' ' << resource << ':' << of.used[lane] << '/' << of.foreign[lane];
        }
        if (of.held[lane] != 0) {
            held << ' ' << resource << ':' << of.held[lane];
        }
    }
    for (std::size_t resource = 0; resource < block.reaches.size(); ++resource) {
        if (block.reaches[resource] && (*block.reaches[resource])[lane] != kNoDevices) {
            used << " reach " << resource << ':' << (*block.reaches[resource])[lane];
        }
    }
    if (const HoldList* const list = block.holds_of(lane)) {
        for (const HeldAmount& hold : *list) {
            held << " (" << hold.kept_from_below << ' ' << raw(hold.resource) << ' ' << hold.amount << ' ' << hold.reach
                 << ')';
        }
    }
    const std::string node = '\n' + std::to_string(raw(slot));
    digest["columns of use"] += node + used.str();
    digest["columns of holds"] += node + held.str();
}

void pods_of_nodes(World& world, Slot slot, WorldDigest& digest) {
    std::ostringstream text;
    const NodePods& there = world.nodes[slot].allocations;
    for (const AskId id : std::set<AskId>(there.begin(), there.end())) {
        text << ' ' << raw(id);
    }
    digest["pods of nodes"] += '\n' + std::to_string(raw(slot)) + text.str();
}

void devices(World& world, Slot slot, WorldDigest& digest) {
    std::ostringstream text;
    for (const DeviceUse& use : world.devices.at(slot)) {
        text << ' ' << raw(use.resource) << '*' << use.count << ':';
        for (const std::int64_t amount : use.used) {
            text << amount << ',';
        }
    }
    digest["devices"] += '\n' + std::to_string(raw(slot)) + text.str();
}

void ports_and_volumes(World& world, Slot slot, WorldDigest& digest) {
    std::multiset<std::string> uses;
    for (const HostPorts::Use& use : world.topology.ports(slot).uses()) {
        uses.insert("port " + std::to_string(use.port.port) + '/' +
                    std::to_string(static_cast<int>(use.port.protocol)) + '/' + std::to_string(use.port.address) +
                    " x" + std::to_string(use.count));
    }
    world.topology.volumes_on(slot).for_each_volume([&](const NodeVolumes::UsedVolume& use) {
        uses.insert("volume " + std::to_string(use.volume.name) + ' ' +
                    std::to_string(static_cast<int>(use.volume.kind)) + (use.volume.read_only ? "r" : "w") + " x" +
                    std::to_string(use.count));
    });
    world.topology.volumes_on(slot).for_each_claim([&](ClaimName claim, std::uint32_t uses_of_it) {
        uses.insert("claim " + std::to_string(claim.name_space) + '/' + std::to_string(claim.name) + " x" +
                    std::to_string(uses_of_it));
    });
    std::string& text = digest["ports and volumes of nodes"];
    text += '\n' + std::to_string(raw(slot));
    for (const std::string& use : uses) {
        text += ' ' + use;
    }
}

void nominations_of_nodes(World& world, Slot slot, WorldDigest& digest) {
    std::string& text = digest["nominations by node"];
    text += '\n' + std::to_string(raw(slot));
    for (const AskId id : world.nominations.on(slot)) {
        text += ' ' + std::to_string(raw(id));
    }
}

std::string counted(World& world, CounterId id) {
    const PodCounts& counts = world.topology.counts();
    std::string text = std::to_string(counts.total(id)) + ':';
    for (Domain domain = 0; domain < world.nodes.slot_count(); ++domain) {  // there are no more than slots
        const std::int32_t pods = counts.pods_in(id, domain);
        text += pods == 0 ? "" : std::to_string(domain) + '=' + std::to_string(pods) + ',';
    }
    return text;
}

void specs(World& world, WorldDigest& digest) {
    for (std::uint32_t number = 0; number < world.specs.size(); ++number) {
        const auto id = static_cast<SpecId>(number);
        if (!world.specs.alive(id)) {
            continue;
        }
        std::set<AskId> pods;
        for (AskId pod = world.specs.pods(id).front(); pod != kNone<AskId>;
             pod = world.specs.pods(id).next(world.asks, pod)) {
            pods.insert(pod);
        }
        std::string& list = digest["pods of specs"];
        list += '\n' + std::to_string(number);
        for (const AskId pod : pods) {
            list += ' ' + std::to_string(raw(pod));
        }
        std::string& counts = digest["counts of the topology"];
        counts += '\n' + std::to_string(number);
        for (const CounterId counter : world.topology.plan(id).counters) {
            counts += ' ' + counted(world, counter);
        }
    }
    std::multiset<std::string> terms;
    world.topology.counts().for_each_term(
        [&](TermId, const PodCounts::Term& term) { terms.insert(counted(world, term.counter)); });
    for (const std::string& term : terms) {
        digest["counts of the topology"] += " term " + term;
    }
}

void claim_on_devices(World& world, ResourceClaimName name, std::string& text) {
    const ClaimObjects& claims = world.topology.claims();
    const auto view = claims.claim(name);
    text += "\nclaim " + std::to_string(name.name) + (view->allocation ? " allocated" : "") + " for";
    for (const Text uid : view->reserved_for) {
        text += ' ' + std::to_string(uid);
    }
    for (const AllocatedDevice& one : view->allocation ? view->allocation->devices : std::vector<AllocatedDevice>()) {
        const DeviceName device{{one.driver, one.pool}, one.device};
        text += ' ' + std::to_string(one.device) + (claims.in_use(device) ? " in use" : "");
    }
}

void objects(World& world, WorldDigest& digest) {
    std::string& text = digest["claims and volumes"];
    const VolumeObjects& volumes = world.topology.volumes();
    for (const auto& [name, stated] : world.objects) {
        if (const auto* claim = std::get_if<VolumeClaim>(&stated.object)) {
            const ClaimName of{claim->name_space, claim->name};
            const auto view = volumes.claim(of);
            text += "\nclaim " + std::to_string(of.name) + ' ' + std::to_string(view->volume) +
                    (view->bind_completed ? " bound" : "") + " x" + std::to_string(volumes.pods_using(of));
        } else if (const auto* volume = std::get_if<Volume>(&stated.object)) {
            const auto view = volumes.volume(volume->name);
            text += "\nvolume " + std::to_string(volume->name) + ' ' + std::to_string(view->claim_namespace) + '/' +
                    std::to_string(view->claim);
        } else if (const auto* of_devices = std::get_if<ResourceClaim>(&stated.object)) {
            claim_on_devices(world, {of_devices->name_space, of_devices->name}, digest["claims on devices"]);
        }
    }
}

std::string bindings(World& world, AskId id) {
    std::string text;
    if (const auto found = world.bindings.find(id); found != world.bindings.end()) {
        for (const ClaimBinding& binding : found->second) {
            text += ' ' + std::to_string(binding.claim.name) + "=" + std::to_string(binding.volume);
        }
    }
    return text;
}

void ask_itself(World& world, AskId id, const Ask& ask, WorldDigest& digest) {
    const std::string name = '\n' + std::to_string(raw(id));
    digest["states of asks"] += name + ' ' + std::string(name_of(ask.state));
    digest["pods' nodes"] += name + ' ' + std::to_string(raw(ask.slot));
    std::ostringstream flags;
    flags << ask.foreign << ask.terminating << ask.never_preempts << ask.preempted << ask.stated_terminating
          << ask.daemonset << ask.is_static << ask.opted_out << ask.originator << ask.stated_preempted << ask.chosen
          << ask.told_to_go << ask.told_scale_up << ' ' << ask.priority << ' ' << raw(ask.ask_class);
    digest["flags of asks"] += name + ' ' + flags.str();
    std::ostringstream waiting;
    if (is_on_node(ask.state)) {
        waiting << " decision " << ask.waiting_or_decision;
    } else {
        const Waiting& of = world.asks.waiting(id);
        waiting << ' ' << of.key.priority << ' ' << of.key.group_number << ' ' << of.key.sequence << ' '
                << of.selected_in << ' ' << of.backoff_until_ns << ' ' << of.failed_predicates
                << (of.nacked ? " nacked" : "") << " after " << ask.failures;
        if (ask.state == AskState::unschedulable) {
            waiting << (world.unschedulable.is_woken(id) ? " woken"
                                                         : "");  // the number of its entry may be another one
        } else {
            waiting << (of.run == UINT32_MAX ? "" : " in the heap")
                    << (of.heap_position == kNotInHeap ? "" : " in backoff");
        }
    }
    digest["waiting"] += name + waiting.str();
    digest["charges"] += world.order->is_placed(id) ? name + " placed" : "";
    if (ask.state == AskState::awaiting_node) {
        digest["awaited nodes"] +=
            name + ' ' + std::string(world.awaited_nodes.node_of(id)) + ' ' + std::string(world.devices.expects(id));
    }
}

void about_ask(World& world, AskId id, const Ask& ask, WorldDigest& digest) {
    const std::string name = '\n' + std::to_string(raw(id));
    digest["devices of pods"] += name + ' ' + world.devices.text_of(id);
    digest["bindings"] += name + bindings(world, id);
    if (const auto found = world.claims.find(id); found != world.claims.end()) {
        digest["claims on devices"] += name + ' ' + found->second.devices;
    }
    if (const Reservation* const reservation = world.reservations.of(id)) {
        std::string& text = digest["reservations"];
        text += name + " on " + std::to_string(raw(reservation->slot)) + " since " +
                std::to_string(reservation->since_ns) + " of " + std::to_string(reservation->priority) +
                " may preempt at " + std::to_string(reservation->options.delay_ns);
        for (const AskHandle victim : reservation->victims) {
            text += ' ' + std::to_string(raw(victim.id));
        }
    }
    if (const Nomination* const nomination = world.nominations.of(id)) {
        std::string& text = digest["nominations"];
        text += name + ' ' + std::to_string(raw(nomination->slot)) + (nomination->suspended ? " suspended" : "");
        for (const AskHandle& victim : nomination->victims) {
            text += ' ' + std::to_string(raw(victim.id));
        }
    }
    if (const auto departure = world.departures.of(id)) {
        digest["departures"] += name + ' ' + std::to_string(departure->since_ns) + ' ' +
                                std::to_string(departure->reminders) + (departure->stuck ? " stuck " : " ") +
                                std::to_string(departure->due_ns) + ' ' + departure->why;
    }
    std::multiset<std::uint32_t> excluded;
    world.excluded.for_each_excluded(id, [&](Slot slot) { excluded.insert(raw(slot)); });
    std::ostringstream text;
    for (const std::uint32_t slot : excluded) {
        text << " without " << slot;
    }
    std::multiset<std::uint32_t> waiting;
    world.excluded.for_each_excluded_for(id, [&](AskId other, Slot) { waiting.insert(raw(other)); });
    for (const std::uint32_t other : waiting) {
        text << " stuck for " << other;
    }
    digest["excluded nodes"] += name + text.str();
    const ExcludedByVictims::Avoided avoided = world.excluded.avoids(id);
    digest["avoided nodes"] += name + ' ' + std::to_string(raw(avoided.slot)) + ' ' + std::to_string(avoided.until_ns);
    for (const PodBudget* budget : world.budgets.covering(world.classes.spec_of(ask), world.asks.key(id))) {
        digest["budgets"] += name + ' ' + std::to_string(budget->disruptions_allowed);
    }
}

}  // namespace

WorldDigest digest_of(World& world, const Pipeline& pipeline) {
    WorldDigest digest;
    for_each_node(world, [&](Slot slot) {
        columns(world, slot, digest);
        pods_of_nodes(world, slot, digest);
        devices(world, slot, digest);
        ports_and_volumes(world, slot, digest);
        nominations_of_nodes(world, slot, digest);
    });
    specs(world, digest);
    objects(world, digest);
    world.asks.for_each([&](AskId id, const Ask& ask) {
        ask_itself(world, id, ask, digest);
        about_ask(world, id, ask, digest);
    });
    for (const auto& [owner, hold] : world.holds.all()) {
        std::string& text = digest["holds"];
        text += '\n' + std::to_string(static_cast<int>(owner.kind)) + ' ' + std::to_string(owner.number) + ' ' +
                std::to_string(raw(hold.slot)) + ' ' + std::to_string(hold.kept_from_below);
        for (const ResourceAmount& amount : hold.amounts) {
            text += ' ' + std::to_string(raw(amount.resource)) + ':' + std::to_string(amount.value);
        }
    }
    std::ostringstream lists;
    lists << world.order->size() << ' ' << raw(world.order->peek()) << ' ' << pipeline.selected() << ' '
          << world.backoff.size() << ' ' << raw(world.backoff.first()) << ' ' << world.nacked.size() << ' '
          << raw(world.nacked.first()) << ' ' << world.unschedulable.size() << ' ' << world.awaited_nodes.size();
    digest["lists"] = lists.str();
    digest["charges"] += '\n' + std::to_string(world.order->charged());
    digest["overcommitted nodes"] = std::to_string(world.nodes.overcommitted());
    digest["allocations"] = std::to_string(world.allocations);
    return digest;
}

std::string difference(const WorldDigest& before, const WorldDigest& after) {
    std::set<std::string> tables;
    for (const WorldDigest* digest : {&before, &after}) {
        for (const auto& [table, text] : *digest) {
            tables.insert(table);
        }
    }
    for (const std::string& table : tables) {
        const std::string was = before.contains(table) ? before.at(table) : "";
        const std::string is = after.contains(table) ? after.at(table) : "";
        if (was != is) {
            return table + ", before:" + was + "\nafter:" + is;
        }
    }
    return "";
}

}  // namespace bayplan::testing
