// The part of Inputs about applications, asks, releases and nacks.

#include "base/check.h"
#include "engine/inputs.h"
#include "predicates/predicate.h"

namespace bayplan {

namespace {

std::string numbered(DictId id) { return "#" + std::to_string(id); }

}  // namespace

// --- applications

void Inputs::add_application(ShimId id, const ApplicationRecord& record) {
    Shim& shim = world_.shims[id];
    const std::string_view name = text_of(shim, record.application);
    const std::string_view queue = record.queue == 0 ? "root.default" : text_of(shim, record.queue);
    std::string fault;
    if (name.empty()) {
        fault = "unknown dictionary id";
    } else if (shim.applications.contains(name)) {
        fault = "application exists already";
    } else if (shim.applications.size() >= world_.options.applications_max) {
        fault = "more than " + std::to_string(world_.options.applications_max) + " applications";
    } else if (queue.empty()) {
        fault = "unknown queue " + numbered(record.queue);
    }
    if (!fault.empty()) {
        lifecycle_.decide(id, DecisionKind::application_rejected,
                          name.empty() ? numbered(record.application) : std::string(name), fault);
        return;
    }
    const ApplicationId application = world_.applications.add(id, name, queue);
    shim.applications.emplace(name, application);
    world_.pending.add_application(application, shim.had_credit);
    lifecycle_.decide(id, DecisionKind::application_accepted, name, {});
}

void Inputs::remove_with_asks(ShimId id, ApplicationId application) {
    while (!world_.applications[application].asks.empty()) {
        release(world_.applications[application].asks.front());
    }
    world_.pending.remove_application(application);
    world_.shims[id].applications.erase(world_.applications[application].name);
    world_.applications.remove(application);
}

void Inputs::remove_application(ShimId id, DictId entry) {
    const std::string name(text_of(world_.shims[id], entry));
    const ApplicationId application = application_of(world_.shims[id], entry);
    if (application == kNone<ApplicationId>) {
        lifecycle_.decide(id, DecisionKind::application_rejected, name.empty() ? numbered(entry) : name,
                          name.empty() ? "unknown dictionary id" : "no such application");
        return;
    }
    remove_with_asks(id, application);
}

void Inputs::state(ShimId id, const ApplicationsMessage& message) {
    for (const ApplicationRecord& record : message.add) {
        add_application(id, record);
    }
    for (const DictId entry : message.remove) {
        remove_application(id, entry);
    }
}

// --- asks

std::string Inputs::update_fault(const AskRecord& record, AskId existing, Slot node) {
    const Ask& ask = world_.asks[existing];
    if (!has_place(ask.state)) {
        return {};
    }
    if (record.node != 0 && node != ask.slot) {
        return "is placed on " + std::string(world_.nodes.name(ask.slot));
    }
    return world_.classes[ask.ask_class].spec->requests == amounts_ ? "" : "is placed already";
}

std::string Inputs::new_fault(ShimId id, const AskRecord& record, Slot node) {
    if (world_.shims[id].asks.size() >= world_.options.asks_max) {
        return "more than " + std::to_string(world_.options.asks_max) + " asks";
    }
    return record.foreign && node == kNone<Slot> ? "foreign pod without a node" : "";
}

// What is wrong with the record before its key is looked at.
std::string Inputs::ask_fault(ShimId id, const AskRecord& record) {
    Shim& shim = world_.shims[id];
    if (record.key.empty()) {
        return "empty key";
    }
    if (record.key.size() > kNameBytesMax) {
        return "key is longer than " + std::to_string(kNameBytesMax) + " bytes";
    }
    const bool none_needed = record.foreign && record.application == 0;
    if (!none_needed && application_of(shim, record.application) == kNone<ApplicationId>) {
        return "unknown application " + numbered(record.application);
    }
    if (record.node != 0 && world_.nodes.find(text_of(shim, record.node)) == kNone<Slot>) {
        return "no such node";
    }
    if ((record.required_node != 0 && shim.dictionary.find(record.required_node) == nullptr) ||
        (record.group != 0 && shim.dictionary.find(record.group) == nullptr)) {
        return "unknown dictionary id";
    }
    return read_amounts(shim, record.requests, false);
}

void Inputs::state(ShimId id, const AsksMessage& message) {
    Shim& shim = world_.shims[id];
    for (const AskRecord& record : message.asks) {
        std::string fault = ask_fault(id, record);
        if (!fault.empty()) {
            lifecycle_.decide(id, DecisionKind::ask_rejected, record.key, fault);
            continue;
        }
        const Slot node = record.node == 0 ? kNone<Slot> : world_.nodes.find(text_of(shim, record.node));
        const auto found = shim.asks.find(record.key);
        if (found == shim.asks.end()) {
            fault = new_fault(id, record, node);
        } else if (const Ask& ask = world_.asks[found->second];
                   ask.application != application_of(shim, record.application)) {
            fault = "key is in use by application " +
                    (ask.application == kNone<ApplicationId> ? std::string("-")
                                                             : world_.applications[ask.application].name);
        } else {
            fault = update_fault(record, found->second, node);
        }
        if (!fault.empty()) {
            lifecycle_.decide(id, DecisionKind::ask_rejected, record.key, fault);
        } else if (found == shim.asks.end()) {
            add_ask(id, record, node);
        } else {
            update_ask(id, record, found->second);
        }
    }
}

// Takes a reference to the required node's name; ClassTable::acquire takes its own.
AskClass Inputs::class_of(ShimId id, const AskRecord& record) {
    AskClass spec;
    spec.requests = amounts_;
    spec.tolerates_unschedulable = record.tolerates_unschedulable;
    spec.priority = record.priority;
    if (record.required_node != 0) {
        spec.required_node = world_.names.acquire(text_of(world_.shims[id], record.required_node));
    }
    return spec;
}

void Inputs::add_ask(ShimId id, const AskRecord& record, Slot node) {
    Shim& shim = world_.shims[id];
    const AskId ask_id = world_.asks.add();
    Ask& ask = world_.asks[ask_id];
    ask.key.assign(record.key);
    ask.shim = id;
    ask.foreign = record.foreign;
    ask.priority = record.priority;
    ask.sequence = ++world_.last_sequence;
    ask.group_number = ask.sequence;
    AskClass spec = class_of(id, record);
    const NameId required = spec.required_node;
    ask.ask_class = world_.classes.acquire(std::move(spec));
    if (required != kNone<NameId>) {
        world_.names.release(required);
    }
    ask.application = application_of(shim, record.application);
    if (ask.application != kNone<ApplicationId>) {
        Application& application = world_.applications[ask.application];
        application.asks.push_back(world_.asks, ask_id);
        if (record.group != 0) {
            ask.group = world_.applications.join_group(ask.application, text_of(shim, record.group), ask.sequence);
            ask.group_number = application.groups[ask.group].number;
        }
    }
    shim.asks.emplace(std::string_view(ask.key), ask_id);
    if (node != kNone<Slot>) {
        lifecycle_.place_by_force(ask_id, node);
    } else {
        lifecycle_.make_pending(ask_id);
    }
}

void Inputs::update_ask(ShimId id, const AskRecord& record, AskId ask_id) {
    Ask& ask = world_.asks[ask_id];
    const bool placed = has_place(ask.state);
    const AskState before = ask.state;
    AskClass spec = class_of(id, record);
    const NameId required = spec.required_node;
    const AskClass& old = *world_.classes[ask.ask_class].spec;
    if (placed) {  // only the priority is taken over
        spec.required_node = old.required_node;
        spec.tolerates_unschedulable = old.tolerates_unschedulable;
    }
    const bool same_needs = spec.requests == old.requests && spec.required_node == old.required_node &&
                            spec.tolerates_unschedulable == old.tolerates_unschedulable;
    lifecycle_.withdraw(ask_id);
    const ClassId old_class = ask.ask_class;
    ask.ask_class = world_.classes.acquire(std::move(spec));
    world_.classes.release(old_class);
    if (required != kNone<NameId>) {
        world_.names.release(required);
    }
    ask.priority = record.priority;
    if (placed) {
        return;
    }
    if (record.node != 0) {
        lifecycle_.place_by_force(ask_id, world_.nodes.find(text_of(world_.shims[id], record.node)));
    } else if (before == AskState::pending || before == AskState::selected) {
        lifecycle_.make_pending(ask_id);
    } else if (before == AskState::unschedulable && !same_needs) {
        lifecycle_.wake_one(ask_id);
    } else if (before == AskState::unschedulable) {
        world_.unschedulable.insert(ask_id);
    } else {
        world_.backoff.insert(ask_id);
    }
}

// --- the ends of asks

void Inputs::release(AskId id) {
    const bool frees = has_place(world_.asks[id].state);
    lifecycle_.remove(id);
    if (frees) {
        lifecycle_.wake(kCapacityFreed);
    }
}

void Inputs::release_one(ShimId id, const ReleaseRecord& record) {
    Shim& shim = world_.shims[id];
    const ApplicationId application = application_of(shim, record.application);
    if (application == kNone<ApplicationId> && (record.application != 0 || record.key.empty())) {
        lifecycle_.decide(id, DecisionKind::ask_rejected, record.key,
                          "unknown application " + numbered(record.application));
        return;
    }
    if (record.key.empty()) {
        while (!world_.applications[application].asks.empty()) {
            release(world_.applications[application].asks.front());
        }
        return;
    }
    const auto found = shim.asks.find(record.key);
    if (found == shim.asks.end() ||
        (record.application != 0 && world_.asks[found->second].application != application)) {
        lifecycle_.decide(id, DecisionKind::ask_rejected, record.key, "no such ask");
        return;
    }
    release(found->second);
}

void Inputs::state(ShimId id, const ReleasesMessage& message) {
    for (const ReleaseRecord& record : message.releases) {
        release_one(id, record);
    }
}

void Inputs::state(ShimId id, const NacksMessage& message) {
    Shim& shim = world_.shims[id];
    for (const NackRecord& record : message.nacks) {
        const auto found = shim.asks.find(record.key);
        if (found == shim.asks.end() || !has_place(world_.asks[found->second].state) ||
            world_.asks[found->second].foreign) {
            lifecycle_.decide(id, DecisionKind::message_rejected, record.key, "no such allocation");
            continue;
        }
        lifecycle_.end_allocation(found->second);
        lifecycle_.back_off_after_nack(found->second);
        lifecycle_.wake(kCapacityFreed);
    }
}

}  // namespace bayplan
