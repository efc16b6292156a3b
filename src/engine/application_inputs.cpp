// The part of Inputs about applications.

#include <string>
#include <string_view>
#include <utility>

#include "engine/byte_counts.h"
#include "engine/inputs.h"

namespace bayplan {

void Inputs::add_application(ShimId id, const ApplicationItem& record) {
    Shim& shim = world_.shims[id];
    const std::string_view name = text_of(shim, record.application);
    std::string fault;
    if (name.empty()) {
        fault = "unknown dictionary id";
    } else if (shim.applications.contains(name)) {
        fault = "application exists already";
    } else if (shim.applications.size() >= world_.options.applications_max) {
        fault = "more than " + std::to_string(world_.options.applications_max) + " applications";
    } else if (record.queue != 0 && text_of(shim, record.queue).empty()) {
        fault = "unknown queue " + numbered(record.queue);
    } else {
        fault = bytes_fault(shim, application_bytes(name));
    }
    queue_tree::Placed placed;
    if (fault.empty() && world_.tree != nullptr) {
        fault = find_queue(shim, record, name, placed);
    }
    if (!fault.empty()) {
        lifecycle_.decide(id, DecisionKind::application_rejected,
                          name.empty() ? numbered(record.application) : std::string(name), fault);
        return;
    }
    const ApplicationId application = world_.applications.add(id, name);
    shim.applications.emplace(name, application);
    world_.bytes.add(shim.bytes, application_bytes(name));
    if (world_.tree != nullptr) {
        world_.tree->place_application(application, placed.queue, std::move(placed.user));
    }
    world_.order->add_application(application, id);
    if (Publication* const publication = lifecycle_.publication()) {
        publication->application_comes(application);
    }
    lifecycle_.decide(id, DecisionKind::application_accepted, name, {});
}

void Inputs::remove_with_asks(ShimId id, ApplicationId application) {
    while (!world_.applications[application].asks.empty()) {
        release(world_.applications[application].asks.front());
    }
    if (Publication* const publication = lifecycle_.publication()) {
        publication->application_goes(application);
    }
    world_.order->remove_application(application);
    Shim& shim = world_.shims[id];
    world_.bytes.give_back(shim.bytes, application_bytes(world_.applications[application].name));
    shim.applications.erase(world_.applications[application].name);
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

void Inputs::apply(ShimId id, const ApplicationsMessage& message) {
    for (const ApplicationItem& record : message.add) {
        add_application(id, record);
    }
    for (const DictId entry : message.remove) {
        remove_application(id, entry);
    }
}

}  // namespace bayplan
