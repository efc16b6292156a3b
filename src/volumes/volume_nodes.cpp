// Narrowing a mask of nodes by a pod's volumes; see volume_nodes.h.
#include "volumes/volume_nodes.h"

#include <algorithm>

#include "volumes/attached_volumes.h"

namespace bayplan {

namespace {

bool clear(NodeMask& mask) {
    std::ranges::fill(mask, 0);
    return true;
}

bool narrow_restrictions(const VolumePlan& plan, NodeMask& mask) {
    if (plan.claims_taken > 0) {
        return clear(mask);
    }
    return plan.disks.empty();
}

bool narrow_limits(const VolumePlan& plan, const VolumeObjects& objects, NodeMask& mask) {
    const bool missing =
        std::ranges::any_of(plan.limited_claims, [&](ClaimName name) { return objects.claim(name) == nullptr; });
    return missing ? clear(mask) : objects.attached().narrow(plan.limited_claims, plan.limited_volumes, mask);
}

// --- VolumeBinding

// Puts a part of the nodes together, then narrows the mask to it.
class Binding {
public:
    Binding(const VolumeObjects& objects, NodeMask& mask) : nodes_(objects.nodes()), objects_(objects), mask_(mask) {}

    bool narrow(const VolumePlan& plan) {
        if (plan.bound_volume_is_gone) {
            return clear(mask_);
        }
        for (const auto& volume : plan.bound) {
            keep_reached(*volume);
        }
        for (const WaitingClaim& waiting : plan.waiting) {
            keep_selected(waiting.claim->selected_node);
            keep_serving(waiting);
        }
        // Two claims may need one and the same volume.
        return plan.waiting.size() <= 1 && std::ranges::none_of(plan.waiting, [](const WaitingClaim& waiting) {
                   return waiting.claim->selector.has_value();
               });
    }

private:
    NodeMask empty() const { return NodeMask(mask_.size(), 0); }

    void keep_reached(const Volume& volume) {
        if (volume.nodes) {
            part_.resize(mask_.size());
            nodes_.matching(*volume.nodes, part_);
            keep_common(mask_, part_);
        }
    }

    void keep_selected(Text node) {
        if (node == 0) {
            return;
        }
        const Slot slot = nodes_.named(node);
        NodeMask only = empty();
        if (slot != kNone<Slot> && block_of(slot) < only.size()) {
            only[block_of(slot)] = bit_of(slot);
        }
        keep_common(mask_, only);
    }

    void keep_serving(const WaitingClaim& waiting) {
        NodeMask serving = empty();
        if (!waiting.meant.empty()) {  // which no other claim takes
            const Volume& meant = *waiting.meant.front();
            if (meant.nodes) {
                nodes_.matching(*meant.nodes, serving);
            } else {
                add_all(serving, nodes_.present());
            }
        } else if (waiting.claim->selected_node == 0) {
            objects_.free_volumes().add_nodes(*waiting.claim, serving);
        }
        if (waiting.provisionable) {
            add_provisioning(waiting, serving);
        }
        keep_common(mask_, serving);
    }

    void add_provisioning(const WaitingClaim& waiting, NodeMask& serving) {
        NodeMask allowed = empty();
        if (waiting.storage_class->allowed_topologies.empty()) {
            add_all(allowed, nodes_.present());
        }
        for (const TopologyTerm& term : waiting.storage_class->allowed_topologies) {
            if (!term.labels.empty()) {
                add_matching(term.labels, allowed);
            }
        }
        if (waiting.must_have_capacity) {
            NodeMask with_capacity = empty();
            for (const auto& capacity : waiting.capacities) {
                add_matching(capacity->topology->requirements, with_capacity);
            }
            keep_common(allowed, with_capacity);
        }
        add_all(serving, allowed);
    }

    void add_matching(const std::vector<LabelRequirement>& requirements, NodeMask& into) {
        NodeMask all = empty();
        add_all(all, nodes_.present());
        part_.resize(mask_.size());
        for (const LabelRequirement& requirement : requirements) {
            nodes_.matching(requirement, part_);
            keep_common(all, part_);
        }
        add_all(into, all);
    }

    const LabelledNodes& nodes_;
    const VolumeObjects& objects_;
    NodeMask& mask_;
    NodeMask part_;
};

// --- VolumeZone

void add_with(const LabelledNodes& nodes, Text key, const std::vector<std::string>& values, const TextTable& texts,
              NodeMask& into) {
    for (const std::string& value : values) {
        const Text text = texts.find(value);
        if (const NodeSet* set = text != kNone<Text> ? nodes.with(key, text) : nullptr) {
            set->add_to(into);
        }
    }
}

bool narrow_zones(const VolumePlan& plan, const LabelledNodes& nodes, const KnownTexts& known, const TextTable& texts,
                  NodeMask& mask) {
    // A node without any of the labels is in a cluster of one zone.
    NodeMask passing(mask.size(), 0);
    add_all(passing, nodes.present());
    for (const Text key : {known.zone_beta, known.region_beta, known.zone, known.region}) {
        take_all_out(passing, nodes.having(key));
    }
    NodeMask agreeing = mask;
    for (const ZoneDemand& demand : plan.zones) {
        NodeMask of_demand(mask.size(), 0);
        if (demand.second_key != 0) {
            add_with(nodes, demand.second_key, demand.values, texts, of_demand);
            take_all_out(of_demand, nodes.having(demand.key));
        }
        add_with(nodes, demand.key, demand.values, texts, of_demand);
        keep_common(agreeing, of_demand);
    }
    add_all(passing, agreeing);
    keep_common(mask, passing);
    return true;
}

}  // namespace

bool narrow(VolumePredicate predicate, const VolumePlan& plan, const VolumeObjects& objects, const KnownTexts& known,
            const TextTable& texts, NodeMask& mask) {
    if (!plan.concerns[static_cast<std::size_t>(predicate)]) {
        return true;
    }
    switch (predicate) {
        case VolumePredicate::restrictions: return narrow_restrictions(plan, mask);
        case VolumePredicate::limits: return narrow_limits(plan, objects, mask);
        case VolumePredicate::binding: return Binding(objects, mask).narrow(plan);
        case VolumePredicate::zone: return narrow_zones(plan, objects.nodes(), known, texts, mask);
    }
    return false;
}

}  // namespace bayplan
