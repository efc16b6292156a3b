// One recount for each law, compared with the tables; see audit.h.
#include "engine/audit.h"
#include "engine/byte_counts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace bayplan {

namespace {

// R-LAW-2: used, foreign and held of each node are the sums of what is there.
struct Sums {
    std::map<std::pair<Slot, ResourceId>, std::int64_t> used;
    std::map<std::pair<Slot, ResourceId>, std::int64_t> foreign;
    std::map<std::pair<Slot, ResourceId>, std::int64_t> held;
    std::map<ResourceId, std::int64_t> asked;  // of all asks
    std::map<AskState, std::size_t> states;
    std::size_t awaited_in_vain = 0;  // waiting for a node that is there
    std::uint64_t allocations = 0;
};

// Of what plugins said of nodes for the ask: by a look at each verdict and text.
std::uint64_t plugin_bytes(const World& world, AskId id) {
    const PluginTable::Entry* const entry = world.plugins.of(id);
    std::uint64_t bytes = entry == nullptr ? 0 : entry->known.size() * PluginTable::kVerdictBytes;
    for (const PluginTable::KnownVictims& known :
         entry == nullptr ? std::vector<PluginTable::KnownVictims>() : entry->victims) {
        bytes += (1 + known.go.size()) * PluginTable::kVerdictBytes;
    }
    for (const std::string& reason : entry == nullptr ? std::vector<std::string>() : entry->reasons) {
        bytes += reason.size();
    }
    return bytes;
}

// A query is open for each queried ask, and counts for its shim.
void check_queries(const World& world, std::vector<std::string>& broken) {
    std::vector<std::uint32_t> queries(world.shims.size());
    std::size_t open = 0;
    world.asks.for_each([&](AskId id, const Ask& ask) {
        const PluginTable::Entry* const entry = world.plugins.of(id);
        const bool is_open = entry != nullptr && entry->query != 0;
        const bool waits = ask.state == AskState::queried || ask.state == AskState::asking;
        if (is_open != waits || (is_open && world.plugins.asked_with(entry->query) != id) ||
            (is_open && entry->about_victims != (ask.state == AskState::asking))) {
            broken.push_back(std::string(world.asks.key(id)) + " and its query to plugins do not agree");
        }
        open += is_open ? 1 : 0;
        queries[raw(ask.shim)] += is_open ? 1 : 0;
    });
    if (open != world.plugins.open()) {
        broken.push_back("a query to plugins is open for no ask");
    }
    for (std::uint32_t number = 0; number < world.shims.size(); ++number) {
        if (world.shims[static_cast<ShimId>(number)].queries != queries[number]) {
            broken.push_back("the queries of " + world.shims[static_cast<ShimId>(number)].name + " are miscounted");
        }
    }
}

Sums recount(const World& world) {
    Sums sums;
    world.asks.for_each([&](AskId id, const Ask& ask) {
        ++sums.states[ask.state];
        if (ask.state == AskState::awaiting_node) {
            const std::string_view node = world.awaited_nodes.node_of(id);
            sums.awaited_in_vain += world.nodes.find(node) == kNone<Slot> ? 0 : 1;
        }
        for (const ResourceAmount& request : world.classes[ask.ask_class].spec->occupies) {
            sums.asked[request.resource] += request.value;
        }
        if (!is_on_node(ask.state)) {
            return;
        }
        sums.allocations += ask.foreign ? 0 : 1;
        auto& column = ask.foreign ? sums.foreign : sums.used;
        for (const ResourceAmount& request : world.classes[ask.ask_class].spec->occupies) {
            column[{ask.slot, request.resource}] += request.value;
        }
    });
    for (const auto& [owner, hold] : world.holds.all()) {
        for (const ResourceAmount& amount : hold.amounts) {
            sums.held[{hold.slot, amount.resource}] += amount.value;
        }
    }
    return sums;
}

std::int64_t sum_at(const std::map<std::pair<Slot, ResourceId>, std::int64_t>& sums, Slot slot, ResourceId resource) {
    const auto found = sums.find({slot, resource});
    return found == sums.end() ? 0 : found->second;
}

void check_lane(const World& world, const Sums& sums, const NodeBlock& block, Slot slot,
                std::vector<std::string>& broken) {
    const std::uint32_t lane = lane_of(slot);
    for (std::uint32_t number = 0; number < block.resources.size(); ++number) {
        if (!block.resources[number]) {
            continue;
        }
        const auto resource = static_cast<ResourceId>(number);
        const ResourceColumns& columns = *block.resources[number];
        const auto differs = [&](const char* what, std::int64_t shown, std::int64_t counted) {
            if (shown != counted) {
                broken.push_back(std::string(what) + " of slot " + std::to_string(raw(slot)) + ", kind " +
                                 std::string(world.resources.text(resource)) + " is " + std::to_string(shown) +
                                 ", its parts sum to " + std::to_string(counted));
            }
        };
        if (world.nodes[slot].name != kNone<NameId>) {
            differs("capacity", columns.capacity[lane], world.nodes.meant_capacity(slot, resource));
        }
        differs("used", columns.used[lane], sum_at(sums.used, slot, resource));
        differs("foreign", columns.foreign[lane], sum_at(sums.foreign, slot, resource));
        differs("held", columns.held[lane], sum_at(sums.held, slot, resource));
    }
}

// Of one pod: what it asks for is on devices. Adds it to `counted`.
void check_share(const World& world, AskId id, const DeviceUse& use, std::vector<std::int64_t>& counted,
                 std::vector<std::string>& broken) {
    std::int64_t asked = 0;
    for (const ResourceAmount& request : world.classes[world.asks[id].ask_class].spec->requests) {
        asked += request.resource == use.resource ? request.value : 0;
    }
    std::int64_t has = 0;
    for (const DeviceShare& share : world.devices.of(id) == nullptr ? DeviceShares() : *world.devices.of(id)) {
        if (share.resource == use.resource) {
            has += share.amount;
            DeviceUse one{use.resource, use.count, std::move(counted)};
            one.add(share.devices, share.amount, +1);
            counted = std::move(one.used);
        }
    }
    if (has != asked) {
        broken.push_back(std::string(world.asks.key(id)) + " asks for " + std::to_string(asked) + " of " +
                         std::string(world.resources.text(use.resource)) + " and has " + std::to_string(has));
    }
}

// R-LAW-2, device by device; and that readers see how far the devices reach.
void check_devices(const World& world, Slot slot, std::vector<std::string>& broken) {
    const NodeBlock& block = world.node_state.block(block_of(slot));
    const std::uint32_t lane = lane_of(slot);
    std::size_t shown = 0;
    for (const auto& reach : block.reaches) {
        shown += reach && (*reach)[lane] != kNoDevices ? 1 : 0;
    }
    const std::vector<DeviceUse>& devices = world.devices.at(slot);
    const auto expect = [&](bool holds, const char* what, ResourceId resource) {
        if (!holds) {
            broken.push_back(std::string(what) + " of slot " + std::to_string(raw(slot)) + ", kind " +
                             std::string(world.resources.text(resource)));
        }
    };
    expect(shown == devices.size(), "reaches are shown that are not", kCpu);
    for (const DeviceUse& use : devices) {
        std::vector<std::int64_t> counted(use.used.size());
        for (const AskId id : world.nodes[slot].allocations) {
            check_share(world, id, use, counted, broken);
        }
        expect(counted == use.used, "the use of devices is not the sum of its pods'", use.resource);
        expect(block.reach_from(lane, use.resource, INT32_MAX) <= use.reach() && block.reach(use.resource) != nullptr &&
                   (*block.reach(use.resource))[lane] == use.reach(),
               "the reach of devices is not theirs", use.resource);
    }
    if (const HoldList* shown_holds = block.holds_of(lane)) {
        HoldList anew = *shown_holds;
        find_reaches(devices, world.devices.choice(), anew);
        for (std::size_t at = 0; at < anew.size(); ++at) {
            const std::int64_t least = at + 1 < anew.size() ? anew[at + 1].kept_from_below : block.hold_floor;
            expect(anew[at].kept_from_below >= least, "holds are not in order", anew[at].resource);
            expect(anew[at].reach == (*shown_holds)[at].reach, "the reach beside holds is stale", anew[at].resource);
        }
    }
}

void check_counts(const World& world, std::size_t selected, const Sums& sums, std::vector<std::string>& broken) {
    const auto count = [&](AskState state) {
        const auto found = sums.states.find(state);
        return found == sums.states.end() ? std::size_t{0} : found->second;
    };
    const auto differs = [&](const char* what, std::size_t shown, std::size_t counted) {
        if (shown != counted) {
            broken.push_back(std::string(what) + " has " + std::to_string(shown) + " asks, in that state are " +
                             std::to_string(counted));
        }
    };
    differs("the pending order", world.order->size(), count(AskState::pending));
    differs("the charges of the pending order", world.order->charged(), sums.allocations + count(AskState::selected));
    differs("the selection", selected, count(AskState::selected));
    differs("the backoff heap", world.backoff.size() + world.nacked.size(), count(AskState::backoff));
    differs("the table of reservations", world.reservations.size(), count(AskState::reserved));
    differs("the unschedulable list", world.unschedulable.size(), count(AskState::unschedulable));
    differs("the table of awaited nodes", world.awaited_nodes.size(), count(AskState::awaiting_node));
    differs("what waits for a node that is there", sums.awaited_in_vain, 0);
    differs("the count of allocations", world.allocations, sums.allocations);
    for (std::uint32_t number = 0; number < world.totals.resources(); ++number) {
        const auto found = sums.asked.find(ResourceId{number});
        if (world.totals.of(ResourceId{number}) != (found == sums.asked.end() ? 0 : found->second)) {
            broken.push_back("the total of kind #" + std::to_string(number) + " is not what asks come to");
        }
    }
}

// Nobody who may be selected comes before the first.
void check_order(const World& world, std::vector<std::string>& broken) {
    const AskId first = world.order->peek();
    world.asks.for_each([&](AskId id, const Ask& ask) {
        if (ask.state == AskState::pending && world.order->selectable(id) &&
            (first == kNone<AskId> || world.order->before(id, first))) {
            broken.push_back("the first of the pending order is not " + std::string(world.asks.key(id)));
        }
    });
}

// What has an entry in a table of few asks must be known to have one, or nobody would look there.
void check_entries(const World& world, std::vector<std::string>& broken) {
    const auto check_flag = [&](AskId id, bool entry, bool flag, const char* what) {
        if (entry && !flag) {
            broken.push_back(std::string(world.asks.key(id)) + " has " + what + ", which its flag does not say");
        }
    };
    const auto check = [&](AskId id, bool entry, const char* what) {
        check_flag(id, entry, world.asks[id].has_entries, what);
    };
    world.asks.for_each([&](AskId id, const Ask& ask) {
        check(id, world.nominations.of(id) != nullptr, "a nomination");
        check(id, world.reservations.of(id) != nullptr, "a reservation");
        check_flag(id, world.excluded.any_excluded(id), ask.has_exclusions, "an excluded node");
        check_flag(id, world.excluded.avoided(id, INT64_MIN) != kNone<Slot>, ask.has_exclusions,
                   "a node that it avoids");
        check(id, world.devices.of(id) != nullptr, "devices");
        check(id, world.bindings.contains(id), "claims on volumes");
        check(id, world.claims.contains(id), "claims on devices");
    });
    world.departures.for_each([&](AskId id) { check(id, true, "a departure"); });
}

// A cached key must be what a fresh look gives (a bound no less), for every block that has not changed since.
void check_cache(World& world, AskId id, const BlockEvaluator& evaluator, std::vector<std::string>& broken) {
    const ClassId ask_class = world.asks[id].ask_class;
    const ClassCache* const cache = world.caches.find(ask_class);
    if (cache == nullptr || cache->position() == ClassCache::kNever) {
        return;
    }
    const Subject subject = subject_of(world.view, ask_class);
    const NodeMask* mask = world.topology.signatures().mask(subject.plan.signature).get();
    for (std::uint32_t block = 0; block < cache->block_count(); ++block) {
        if (world.node_state.version(block) > cache->position()) {
            continue;
        }
        const NodeKey best = evaluator.best(*world.classes[ask_class].spec, world.node_state.block(block), block,
                                            BlockEvaluator::allowed(block, mask));
        const NodeKey cached = cache->best_in(block);
        if (cache->exact(block) ? cached != best : cached < best) {
            broken.push_back("the cached best of block " + std::to_string(block) + " is stale for " +
                             std::string(world.asks.key(id)));
        }
    }
}

void check_caches(World& world, const BlockEvaluator& evaluator, std::vector<std::string>& broken) {
    std::vector<bool> seen(world.classes.size(), false);
    world.asks.for_each([&](AskId id, const Ask& ask) {
        // Once for all asks of a class: there may be millions.
        const auto index = static_cast<std::size_t>(ask.ask_class);
        seen.resize(std::max(seen.size(), index + 1), false);
        if (!seen[index]) {
            check_cache(world, id, evaluator, broken);
        }
        seen[index] = true;
    });
}

// What counts of each shim is the sum of what it has.
void check_bytes(const World& world, std::vector<std::string>& broken) {
    std::vector<std::uint64_t> bytes(world.shims.size());
    std::map<std::pair<ShimId, SpecId>, std::uint64_t> uses;
    for (const auto& [name, object] : world.objects) {
        bytes[raw(object.owner)] += object_bytes(object.object, world.texts);
    }
    for (std::uint32_t slot = 0; slot < world.nodes.slot_count(); ++slot) {
        const NodeInfo& node = world.nodes[static_cast<Slot>(slot)];
        if (node.name != kNone<NameId>) {
            bytes[raw(node.owner)] += world.node_bytes[slot];
        }
    }
    world.asks.for_each([&](AskId id, const Ask& ask) {
        bytes[raw(ask.shim)] += ask_bytes(id, world) + plugin_bytes(world, id);
        ++uses[{ask.shim, world.classes.spec_of(ask)}];
    });
    std::uint64_t all = 0;
    for (std::uint32_t number = 0; number < world.shims.size(); ++number) {
        const Shim& shim = world.shims[static_cast<ShimId>(number)];
        std::uint64_t& sum = bytes[number];
        for (const auto& [id, entry] : shim.dictionary.all()) {
            sum += kEntryBytes + entry.text.size();
        }
        for (const auto& [id, spec] : shim.specs) ++uses[{static_cast<ShimId>(number), spec}];
        for (const SpecId spec : shim.left_over_specs) ++uses[{static_cast<ShimId>(number), spec}];
        for (const auto& [name, application] : shim.applications) {
            sum += world.applications[application].bytes;
        }
        std::map<TermId, std::uint32_t> terms;
        KeysOfShim keys;
        for (const auto& [spec, use] : shim.spec_uses) {
            keys.add(world.specs[spec]);
            sum += spec_bytes(world.specs[spec], world.texts);
            for (const TermId term : world.topology.counts().terms_of(spec)) ++terms[term];
            if (uses[{static_cast<ShimId>(number), spec}] != use.times) {
                broken.push_back("the uses of a spec by " + shim.name + " are not those that there are");
            }
        }
        if (keys != shim.topology_keys || terms.size() != shim.terms.size() ||
            std::any_of(terms.begin(), terms.end(),
                        [&](const auto& term) { return shim.terms.times(raw(term.first)) != term.second; })) {
            broken.push_back("the pod terms or topology keys of " + shim.name + " are not those of its specs");
        }
        sum += shim.ledger.bytes();
        all += sum;
        if (sum != shim.bytes) {
            broken.push_back("the bytes of " + shim.name + " are " + std::to_string(shim.bytes) +
                             ", its parts sum to " + std::to_string(sum));
        }
    }
    if (all != world.bytes.all()) {
        broken.push_back("the bytes of all shims are not the sum of theirs");
    }
}

// Each member counts by its present state (R-GROUP-7 to R-GROUP-11); members that wait, wait together.
const Gang* reserved_gang(const World& world) {
    const GangId reserved = world.gangs.reserved();
    return reserved == kNone<GangId> ? nullptr : &world.gangs[reserved];
}

void check_gang(const World& world, const Gang& gang, std::vector<std::string>& broken) {
    std::uint32_t counted = 0;
    std::uint32_t assigned = 0;
    bool held = true;
    std::map<AskState, std::size_t> waiting;
    std::uint32_t nominated = 0;
    std::uint32_t on_permit = 0;
    bool eldest = true;
    for (const MemberAge& member : gang.members) {
        const Ask& ask = world.asks[member.ask];
        const GangMember& stated = world.gangs.member(member.ask);
        if (!ask.terminating && std::exchange(eldest, false) &&
            (stated.minimum != gang.minimum || ask.priority != gang.priority || stated.topology != gang.topology)) {
            broken.push_back("minimum, priority or topology of " + gang.name + " is not its eldest member's");
        }
        const bool has_node = is_on_node(ask.state) || ask.state == AskState::awaiting_node;
        on_permit += ask.state == AskState::on_permit ? 1 : 0;
        const bool gated = !has_node && !world.specs[world.classes.spec_of(ask)].gates.empty();
        const bool agrees =
            stated.minimum == gang.minimum && ask.priority == gang.priority && stated.topology == gang.topology;
        const bool counts = agrees && !gated && !ask.terminating;
        nominated += world.nominations.of(member.ask) != nullptr ? 1 : 0;
        counted += counts ? 1 : 0;
        assigned += counts && has_node ? 1 : 0;
        if (!has_node) {
            held = held && ask.state == AskState::gated;
            ++waiting[counts && gang.quorum ? ask.state : AskState::gated];
            if (!(counts && gang.quorum) && ask.state != AskState::gated) {
                broken.push_back(std::string(world.asks.key(member.ask)) + " of " + gang.name + " may be tried");
            }
        }
    }
    if (counted != gang.counted || assigned != gang.assigned) {
        broken.push_back("the counts of " + gang.name + " are not what its members are");
    }
    if (on_permit != gang.on_permit || (on_permit > 0) != (gang.deadline_ns != INT64_MAX) || !gang.hold_lost.empty() ||
        (on_permit > 0 && counted < gang.minimum)) {
        broken.push_back("members of " + gang.name + " hold nodes, and it does not know or has no quorum");
    }
    if (&gang == reserved_gang(world) && (nominated == 0 || !gang.quorum)) {
        broken.push_back("nodes are reserved for " + gang.name + ", which has no nominations or no quorum");
    }
    if (nominated != gang.nominated) {
        broken.push_back("the nominations of " + gang.name + " are not those made together");
    }
    if (gang.quorum != (!gang.members.empty() && counted >= gang.minimum)) {
        broken.push_back(gang.name + " is wrong about its quorum");
    }
    if (gang.held && !held) {
        broken.push_back(gang.name + " is wrong about where its members wait");
    }
    waiting.erase(AskState::gated);
    if (waiting.size() > 1) {
        broken.push_back("members of " + gang.name + " do not wait together");
    }
}

void check_gangs(const World& world, std::vector<std::string>& broken) {
    world.gangs.for_each([&](GangId, const Gang& gang) { check_gang(world, gang, broken); });
    world.asks.for_each([&](AskId id, const Ask& ask) {
        if (ask.state == AskState::on_permit && !world.gangs.member(id).counted) {
            broken.push_back(std::string(world.asks.key(id)) + " holds a node, and does not count");
        }
        if (ask.group == kFaultyGroup && !is_allocated(ask.state) && ask.state != AskState::awaiting_node &&
            ask.state != AskState::gated) {
            broken.push_back(std::string(world.asks.key(id)) + " may be tried, and says a gang wrongly");
        }
    });
}

// A clock is a queue's that is there; whether that is over is looked at after inputs alone.
void check_quota_clocks(const World& world, std::vector<std::string>& broken) {
    const QuotaClocks& clocks = world.quota_clocks;
    std::int64_t next_due_ns = INT64_MAX;
    for (const auto& [path, clock] : clocks.by_path) {
        next_due_ns = std::min(next_due_ns, clock.due_ns);
        const bool exists = world.tree->queues().find(path) != queue_tree::kNoQueue;
        if ((!exists && world.resyncs.holding == 0) || clock.since_ns > world.now_ns) {
            broken.push_back("the clock of " + path + " runs, which it may not");
        }
    }
    if (next_due_ns != clocks.next_due_ns || clocks.next_time_ns < next_due_ns) {
        broken.push_back("the next queue to shrink is not the first that is due");
    }
}

}  // namespace

void audit_world(World& world, std::size_t selected, const BlockEvaluator& evaluator,
                 std::vector<std::string>& broken) {
    const Sums sums = recount(world);
    for (std::uint32_t number = 0; number < world.nodes.slot_count(); ++number) {
        const auto slot = static_cast<Slot>(number);
        check_lane(world, sums, world.node_state.block(block_of(slot)), slot, broken);
        check_devices(world, slot, broken);
    }
    check_counts(world, selected, sums, broken);
    check_order(world, broken);
    check_entries(world, broken);
    check_bytes(world, broken);
    check_gangs(world, broken);
    check_queries(world, broken);
    check_quota_clocks(world, broken);
    check_caches(world, evaluator, broken);
}

}  // namespace bayplan
