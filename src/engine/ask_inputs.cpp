// The part of Inputs about asks that come, releases and nacks. Asks that are stated again: ask_updates.cpp.

#include <algorithm>

#include "base/check.h"
#include "cluster/amount_lists.h"
#include "cluster/device_texts.h"
#include "engine/byte_counts.h"
#include "engine/inputs.h"
#include "engine/statement_limits.h"
#include "labels/tolerations.h"
#include "predicates/predicate.h"

namespace bayplan {

namespace {

// What Kubernetes takes a container without requests for.
constexpr std::int64_t kDefaultCpu = 100;                         // milli-cores
constexpr std::int64_t kDefaultMemory = std::int64_t{200} << 20;  // bytes

// The amount that scores count for the pod: as its record says it, or as requested (0 too), or Kubernetes' default.
std::int64_t scored(std::int64_t said, std::int64_t requested, std::int64_t otherwise) {
    return said != -1 ? said : requested != -1 ? requested : otherwise;
}

// A pod may run on a node, or wait for it, as long as these are not too many; `there`: it is one of them already.
std::string crowd_fault(const World& world, Slot slot, std::string_view node, bool there) {
    const std::size_t pods =
        slot != kNone<Slot> ? world.nodes[slot].allocations.size() : world.awaited_nodes.count_for(node);
    return there || pods < kPodsPerNodeMax
               ? ""
               : "node " + std::string(node) + " has " + std::to_string(kPodsPerNodeMax) + " pods";
}

}  // namespace

// --- asks

std::string Inputs::update_fault(const AskItem& record, AskId existing, Slot node) {
    const Ask& ask = world_.asks[existing];
    if (ask.placeholder != record.placeholder) {
        return ask.placeholder ? "is a placeholder" : "is no placeholder";
    }
    if (!is_allocated(ask.state)) {
        return {};
    }
    if (record.node != 0 && node != ask.slot) {
        return "is placed on " + std::string(world_.nodes.name(ask.slot));
    }
    const std::vector<ResourceAmount>& requests = world_.classes[ask.ask_class].spec->requests;
    const bool may_be_resized =
        world_.options.resize_in_place && std::ranges::all_of(world_.devices.at(ask.slot), [&](const DeviceUse& kind) {
            return amount_of(requests, kind.resource) == amount_of(amounts_, kind.resource);
        });
    return may_be_resized || requests == amounts_ ? "" : "is placed already";
}

std::string Inputs::new_fault(ShimId id, const AskItem& record) {
    if (world_.shims[id].asks.size() >= world_.options.asks_max) {
        return "more than " + std::to_string(world_.options.asks_max) + " asks";
    }
    if (record.foreign && record.node == 0) {
        return "foreign pod without a node";
    }
    const ApplicationId application = application_of(world_.shims[id], record.application);
    if (record.placeholder && lifecycle_.placeholders().count_of(application) >= kPlaceholdersMax) {
        return "application " + world_.applications[application].name + " has " + std::to_string(kPlaceholdersMax) +
               " placeholders";
    }
    return !record.foreign && lifecycle_.placeholders().refuses_asks(application)
               ? "application " + world_.applications[application].name + " has failed"
               : "";
}

std::string Inputs::placeholder_fault(const AskItem& record) const {
    if (world_.tree == nullptr) {
        return "placeholders need queues";
    }
    const bool in_task_group = record.group != 0 && record.application != 0 && record.group_min_available == 0 &&
                               record.group_fault == GroupFault::none;
    return record.foreign || !in_task_group ? "a placeholder is in a task group without a minimum" : "";
}

// After read_amounts. `existing`: the ask that the record changes, or kNone.
bool Inputs::fits_in_total(const AskItem& record, AskId existing) {
    occupies_.assign(amounts_.begin(), amounts_.end());
    occupies_.push_back({kScoredCpu, scored(record.node_cpu, requested_cpu_, kDefaultCpu)});
    occupies_.push_back({kScoredMemory, scored(record.node_memory, requested_memory_, kDefaultMemory)});
    const std::int64_t max = record.node != 0 ? AmountTotals::kMax : AmountTotals::kMaxToBePlaced;
    return existing == kNone<AskId>
               ? world_.totals.allow(occupies_, {}, max)
               : world_.totals.allow(occupies_, world_.classes[world_.asks[existing].ask_class].spec->occupies, max);
}

std::string Inputs::priority_fault(const Shim& shim, const AskItem& record) {
    if (record.node != 0 || record.priority <= shim.rights.priority_max) {
        return {};
    }
    return "priority " + std::to_string(record.priority) + " is above " + std::to_string(shim.rights.priority_max);
}

// A pod that has its node stays there; to come, it needs the node's shim, or the right.
std::string Inputs::force_fault(ShimId id, AskId existing, Slot node) const {
    const bool ours = node == kNone<Slot> || world_.nodes[node].owner == id || world_.shims[id].rights.force;
    const bool there = existing != kNone<AskId> && is_allocated(world_.asks[existing].state);
    return ours || there ? "" : others_node_text(world_.nodes.name(node));
}

// What is wrong with the record before its key is looked at.
std::string Inputs::ask_fault(ShimId id, const AskItem& record) {
    Shim& shim = world_.shims[id];
    if (record.key.empty()) {
        return "empty key";
    }
    if (record.key.size() > kNameBytesMax) {
        return "key is longer than " + std::to_string(kNameBytesMax) + " bytes";
    }
    const bool none_needed = record.foreign && record.application == 0;
    application_ = application_of(shim, record.application);
    if (!none_needed && application_ == kNone<ApplicationId>) {
        return "unknown application " + numbered(record.application);
    }
    for (const DictId named :
         {record.node, record.required_node, record.group, record.nominated_node, record.group_topology_key}) {
        if (named != 0 && shim.dictionary.find(named) == nullptr) {
            return "unknown dictionary id";
        }
    }
    if (record.spec != 0 && !shim.specs.contains(record.spec)) {
        return "unknown spec " + std::to_string(record.spec);
    }
    if (std::string fault = list_fault(record); !fault.empty()) {
        return fault;
    }
    if (std::string fault = plugins_fault(shim, record); !fault.empty()) {
        return fault;
    }
    if (std::string fault = read_amounts(shim, record.requests, false); !fault.empty()) {
        return fault;
    }
    for (const std::int64_t amount : {record.node_cpu, record.node_memory, record.own_cpu, record.own_memory}) {
        if (amount < -1 || amount > kAmountMax) {
            return "scored amount is out of range";
        }
    }
    if (!is_device_text(record.devices)) {
        return "devices cannot be read";
    }
    std::string fault = read_tags(shim, record.tags);
    if (fault.empty()) {
        fault = priority_fault(shim, record);
    }
    return fault.empty() && record.placeholder ? placeholder_fault(record) : fault;
}

// After read_amounts and read_tags. A pod that has its node keeps what else counts of it.
std::string Inputs::ask_bytes_fault(Shim& shim, const AskItem& record, AskId existing) {
    const std::uint64_t own = class_bytes(amounts_, text_of(shim, record.required_node), world_) + tag_bytes_;
    const std::string_view group = record.application != 0 ? text_of(shim, record.group) : "";
    if (existing == kNone<AskId>) {
        const bool faulty = says_gang(record, record.foreign) && record.group_fault != GroupFault::none;
        new_ask_bytes_ = ask_bytes(record.key, faulty ? "" : group) + own;
        return bytes_fault(shim, new_ask_bytes_);
    }
    const Ask& ask = world_.asks[existing];
    if (is_allocated(ask.state)) {
        const AskClass& before = *world_.classes[ask.ask_class].spec;
        const std::string_view required =
            before.required_node == kNone<NameId> ? "" : world_.names.text(before.required_node);
        return bytes_fault(shim, class_bytes(amounts_, required, world_) + tag_bytes_,
                           class_bytes(before, world_) + tag_bytes(existing, world_));
    }
    std::string_view becomes = is_plain_group(ask.group) ? group_text(existing, world_) : "";
    if (says_gang(record, ask.foreign)) {
        becomes = record.group_fault == GroupFault::none ? group : "";
    }
    return bytes_fault(shim, ask_bytes(record.key, becomes) + own, ask_bytes(existing, world_));
}

void Inputs::apply(ShimId id, const AsksMessage& message) {
    Shim& shim = world_.shims[id];
    for (const AskItem& record : message.asks) {
        std::string fault = ask_fault(id, record);
        if (!fault.empty()) {
            lifecycle_.decide(id, DecisionKind::ask_rejected, record.key, fault);
            continue;
        }
        const Slot node = record.node == 0 ? kNone<Slot> : world_.nodes.find(text_of(shim, record.node));
        const std::uint64_t hash = hash_of_text(record.key);
        const AskId found = shim.asks.find(record.key, hash);
        if (found == kNone<AskId>) {
            fault = new_fault(id, record);
        } else if (const Ask& ask = world_.asks[found]; ask.application != application_) {
            fault = "key is in use by application " +
                    (ask.application == kNone<ApplicationId> ? std::string("-")
                                                             : world_.applications[ask.application].name);
        } else {
            fault = update_fault(record, found, node);
        }
        if (fault.empty()) {
            fault = force_fault(id, found, node);
        }
        if (fault.empty() && record.node != 0) {
            const std::string_view name = text_of(shim, record.node);
            const bool there =
                found != kNone<AskId> &&
                (is_allocated(world_.asks[found].state) ||
                 (world_.asks[found].state == AskState::awaiting_node && world_.awaited_nodes.node_of(found) == name));
            fault = crowd_fault(world_, node, name, there);
        }
        if (fault.empty()) {
            fault = gang_fault(shim, record, found);
        }
        if (fault.empty() && !fits_in_total(record, found)) {
            fault = "all asks together want too much";
        }
        if (fault.empty()) {
            fault = ask_bytes_fault(shim, record, found);
        }
        if (!fault.empty()) {
            lifecycle_.decide(id, DecisionKind::ask_rejected, record.key, fault);
        } else if (found == kNone<AskId>) {
            add_ask(id, record, hash);
        } else {
            update_ask(id, record, found);
            if (Publication* const publication = lifecycle_.publication()) {
                publication->ask_restated(found);
            }
        }
    }
}

// Takes a reference to the required node's name; ClassTable::acquire takes its own.
// The result is of the last call: mostly there is such a class already, and nothing is copied.
AskClass& Inputs::class_of(ShimId id, const AskItem& record) {
    Shim& shim = world_.shims[id];
    AskClass& spec = class_;
    spec.requests.assign(amounts_.begin(), amounts_.end());
    spec.pod_spec = record.spec == 0 ? kEmptySpec : shim.specs.at(record.spec);
    spec.tolerates_unschedulable = record.tolerates_unschedulable ||
                                   tolerates_unschedulable(world_.specs[spec.pod_spec].tolerations, world_.known);
    spec.priority = record.priority;
    spec.node_cpu = scored(record.node_cpu, requested_cpu_, kDefaultCpu);
    spec.node_memory = scored(record.node_memory, requested_memory_, kDefaultMemory);
    spec.own_cpu = record.own_cpu != -1 ? record.own_cpu : spec.node_cpu;
    spec.own_memory = record.own_memory != -1 ? record.own_memory : spec.node_memory;
    spec.required_node = record.required_node == 0
                             ? kNone<NameId>
                             : world_.names.acquire(text_of(world_.shims[id], record.required_node));
    return spec;
}

void Inputs::take_grace(AskId id, const AskItem& record) {
    world_.asks.set_grace(id, record.grace_period_s < 0 ? GraceTable::kUsual_s : record.grace_period_s);
}

void Inputs::take_victim_facts(Ask& ask, const AskItem& record) {
    ask.daemonset = record.daemonset;
    ask.opted_out = record.never_victim;
    ask.originator = record.originator;
}

void Inputs::take_class(Ask& ask, const AskClass& spec) {
    const NameId required = spec.required_node;
    const ClassId before = ask.ask_class;
    ask.ask_class = world_.classes.acquire(spec);
    ask.has_entries = ask.has_entries || !world_.specs[spec.pod_spec].resource_claims.claims.empty();
    world_.totals.add(world_.classes[ask.ask_class].spec->occupies, +1);
    if (before != kNone<ClassId>) {
        use_spec(world_, ask.shim, world_.classes.spec_of(ask));
        use_no_more(world_, ask.shim, world_.classes[before].spec->pod_spec);
        std::uint64_t& own = world_.shims[ask.shim].bytes;
        world_.bytes.add(own, class_bytes(*world_.classes[ask.ask_class].spec, world_));
        world_.bytes.give_back(own, class_bytes(*world_.classes[before].spec, world_));
        world_.totals.add(world_.classes[before].spec->occupies, -1);
        world_.classes.release(before);
    }
    if (required != kNone<NameId>) {
        world_.names.release(required);
    }
}

bool Inputs::gated_by_itself(AskId id) const {
    return !world_.specs[world_.classes.spec_of(world_.asks[id])].gates.empty();
}

// A pod that runs takes its place, or waits for its node if nobody has registered that one.
void Inputs::put_on_node(AskId id, std::string_view node, std::string_view awaited_before, std::string_view devices) {
    if (const Slot slot = world_.nodes.find(node); slot != kNone<Slot>) {
        lifecycle_.place_by_force(id, slot, devices);
    } else {
        lifecycle_.await_node(id, node, devices, node != awaited_before);
    }
}

void Inputs::add_ask(ShimId id, const AskItem& record, std::uint64_t key_hash) {
    Shim& shim = world_.shims[id];
    const AskId ask_id = world_.asks.add(record.key, ++world_.last_sequence);
    if (Publication* const publication = lifecycle_.publication()) {
        publication->ask_comes(ask_id, record.created_s);
    }
    Ask& ask = world_.asks[ask_id];
    PendingKey& key = world_.asks.waiting(ask_id).key;
    std::int64_t created_s = record.created_s;
    ask.shim = id;
    ask.foreign = record.foreign;
    ask.placeholder = record.placeholder;
    ask.is_static = record.is_static;
    ask.terminating = ask.stated_terminating = record.terminating;
    ask.never_preempts = record.never_preempts;
    ask.stated_tolerates = record.tolerates_unschedulable;
    ask.preempted = ask.stated_preempted = record.preempted;
    ask.started_ms = record.started_ms;
    ask.qos = record.qos;
    take_victim_facts(ask, record);
    take_grace(ask_id, record);
    take_tags(ask_id);
    key.priority = ask.priority = record.priority;
    key.time_ns = lifecycle_.gangs().came(ask_id, shim.resync_open, record.created_s);
    take_class(ask, class_of(id, record));
    ask.application = application_;
    if (ask.application != kNone<ApplicationId>) {
        Application& application = world_.applications[ask.application];
        application.asks.push_back(world_.asks, ask_id);
        take_group(ask_id, record, key.time_ns);
        if (record.group != 0 && ask.group == kNoGroup) {
            ask.group = world_.applications.join_group(ask.application, text_of(shim, record.group), ask.sequence,
                                                       key.time_ns, record.created_s);
            key.group_number = application.groups[ask.group].number;
            key.time_ns = application.groups[ask.group].time_ns;
            created_s = application.groups[ask.group].created_s;
        }
    } else {
        shim.loose.push_back(world_.asks, ask_id);
    }
    if (ask.placeholder) {
        lifecycle_.placeholders().comes(ask_id);
    }
    world_.order->ask_comes(ask_id, created_s);
    shim.asks.insert(ask_id, key_hash);
    world_.bytes.add(shim.bytes, new_ask_bytes_);
    use_spec(world_, id, world_.classes.spec_of(ask));
    if (record.node == 0 && record.nominated_node != 0 && !is_coscheduled(ask.group)) {
        nominate_as_stated(ask_id, world_.nodes.find(text_of(shim, record.nominated_node)));
    }
    if (record.node != 0) {
        put_on_node(ask_id, text_of(shim, record.node), {}, record.devices);
    } else if (gated_by_itself(ask_id)) {
        lifecycle_.make_gated(ask_id, true);
    } else if (is_coscheduled(ask.group) || lifecycle_.placeholders().holds_up(ask_id)) {
        lifecycle_.hold(ask_id);
    } else {
        lifecycle_.make_pending(ask_id, AskEvent::enter);
    }
    if (is_coscheduled(ask.group)) {
        lifecycle_.gangs().note(ask_id);
    }
}

// The pods that it waits for are those of lower priority that terminate there now.
void Inputs::nominate_as_stated(AskId id, Slot slot) {
    if (slot == kNone<Slot> || world_.nominations.on(slot).size() >= kStatedNominationsMax) {
        return;
    }
    std::vector<AskHandle> victims;
    for (const AskId pod : world_.nodes[slot].allocations) {
        if (world_.asks[pod].terminating && world_.asks[pod].priority < world_.asks[id].priority) {
            victims.push_back(world_.asks.handle(pod));
        }
    }
    lifecycle_.nominate(id, slot, std::move(victims));
}

// --- the ends of asks

void Inputs::release(AskId id, Termination termination) {
    const bool frees = lifecycle_.frees(id);
    lifecycle_.remove(id, termination);
    if (frees) {
        lifecycle_.wake(kPodGone);
    }
}

void Inputs::release_one(ShimId id, const ReleaseItem& record) {
    Shim& shim = world_.shims[id];
    const ApplicationId application = application_of(shim, record.application);
    if (application == kNone<ApplicationId> && (record.application != 0 || record.key.empty())) {
        lifecycle_.decide(id, DecisionKind::ask_rejected, record.key,
                          "unknown application " + numbered(record.application));
        return;
    }
    if (record.key.empty()) {
        while (!world_.applications[application].asks.empty()) {
            release(world_.applications[application].asks.front(), record.termination);
        }
        return;
    }
    const AskId found = shim.asks.find(record.key);
    if (found == kNone<AskId> || (record.application != 0 && world_.asks[found].application != application)) {
        lifecycle_.decide(id, DecisionKind::ask_rejected, record.key, "no such ask");
        return;
    }
    release(found, record.termination);
}

void Inputs::apply(ShimId id, const ReleasesMessage& message) {
    for (const ReleaseItem& record : message.releases) {
        release_one(id, record);
    }
}

void Inputs::apply(ShimId id, const NacksMessage& message) {
    Shim& shim = world_.shims[id];
    for (const NackItem& record : message.nacks) {
        const AskId found = shim.asks.find(record.key);
        if (found == kNone<AskId> || !is_allocated(world_.asks[found].state) || world_.asks[found].foreign) {
            lifecycle_.decide(id, DecisionKind::message_rejected, record.key, "no such allocation");
            continue;
        }
        if (world_.asks[found].placeholder && lifecycle_.placeholders().was_sent_away(found)) {
            release(found);  // it was to go anyway
            continue;
        }
        lifecycle_.refuse(found);
    }
}

}  // namespace bayplan
