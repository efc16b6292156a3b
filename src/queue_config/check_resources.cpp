// Guaranteed and max along the tree. A resource that a queue does not name is unlimited there.
//
// Thread: any.
#include <fmt/format.h>

#include "queue_config/characters.h"
#include "queue_config/checks.h"

namespace bayplan::queue_config {
namespace {

Position place_of(const WrittenResources& resources, const QueueConfig& queue) {
    return resources.amounts ? resources.position : queue.position;
}

void check_template(const QueueConfig& queue, const std::string& path, FaultList& faults) {
    if (!queue.is_parent()) return;
    const ResourcesConfig& resources = queue.child_template.resources;
    for (const config::Fault& fault : queue.child_template_faults) faults.add(fault.position, fault.what, fault.remedy);
    if (!fits_in(resources.guaranteed.or_none(), resources.max.or_none(), Missing::unlimited)) {
        faults.add(resources.guaranteed.position,
                   fmt::format("'childtemplate' of queue {} guarantees {}, more than its max {}", path,
                               to_text(resources.guaranteed.or_none()), to_text(resources.max.or_none())),
                   "queues made from it could not use it");
    }
}

// The queue's guaranteed resources: its own, or the sum of its children's.
Resources check_resources_of_queue(const QueueConfig& queue, const std::string& path, const Resources& max_above,
                                   FaultList& faults) {
    const Resources& guaranteed = queue.resources.guaranteed.or_none();
    const Resources& own_max = queue.resources.max.or_none();
    const Position guaranteed_place = place_of(queue.resources.guaranteed, queue);
    if (!fits_in(guaranteed, own_max, Missing::unlimited)) {
        faults.add(
            guaranteed_place,
            fmt::format("queue {} guarantees {}, more than its max {}", path, to_text(guaranteed), to_text(own_max)),
            "lower guaranteed, or raise max");
    }
    if (!fits_in(own_max, max_above, Missing::unlimited)) {
        faults.add(place_of(queue.resources.max, queue),
                   fmt::format("max {} of queue {} is more than {} of the queues above", to_text(own_max), path,
                               to_text(max_above)),
                   "lower it, or raise those above");
    }
    check_template(queue, path, faults);
    const Resources max = lower_of(own_max, max_above, Missing::unlimited);
    Resources of_children;
    if (queue.queues) {
        for (const QueueConfig& child : *queue.queues) {
            add_to(of_children, check_resources_of_queue(child, path + "." + lower_case(child.name.text), max, faults));
        }
    }
    if (!fits_in(of_children, guaranteed, Missing::unlimited)) {
        faults.add(guaranteed_place,
                   fmt::format("the children of queue {} are guaranteed {} together, more than its own {}", path,
                               to_text(of_children), to_text(guaranteed)),
                   "lower theirs, or raise its own");
    }
    if (!fits_in(of_children, max, Missing::unlimited)) {
        faults.add(place_of(queue.resources.max, queue),
                   fmt::format("the children of queue {} are guaranteed {} together, more than its max {}", path,
                               to_text(of_children), to_text(max)),
                   "lower theirs, or raise max");
    }
    return any_above_zero(guaranteed) ? guaranteed : of_children;
}

}  // namespace

void check_resources(const QueueConfig& root, FaultList& faults) {
    for (const WrittenResources* resources : {&root.resources.guaranteed, &root.resources.max}) {
        if (resources->amounts) {
            faults.add(resources->position, "queue root may not have resources: they are what the nodes have",
                       "give them to the queues below");
            return;
        }
    }
    check_resources_of_queue(root, std::string(kRootName), {}, faults);
}

}  // namespace bayplan::queue_config
