// Judges one node for a pod's volumes. See volume_plan.h.

#include <algorithm>
#include <utility>

#include "labels/node_terms.h"
#include "labels/selector.h"
#include "volumes/volume_plan.h"

namespace bayplan {

namespace {

// --- VolumeRestrictions

VolumeRefusal judge_restrictions(const VolumePlan& plan, const NodeVolumes& used) {
    for (const PodVolume& disk : plan.disks) {
        const bool conflict = std::ranges::any_of(used.of_disk(disk), [&](const NodeVolumes::UsedVolume& other) {
            return disks_conflict(disk, other.volume);
        });
        if (conflict) {
            return {Verdict::unschedulable, {"node(s) had no available disk"}};
        }
    }
    if (plan.claims_taken > 0) {
        return {Verdict::unschedulable,
                {"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use "
                 "by another pod"}};
    }
    return {};
}

// --- NodeVolumeLimits

// A volume as a CSI driver knows it: by its handle, or while it has none by its claim.
struct DriverVolume {
    Text driver = 0;
    Text handle = 0;
    ClaimName claim;
    bool operator==(const DriverVolume&) const = default;
};

using DriverVolumes = std::vector<DriverVolume>;

void add_once(DriverVolumes& volumes, const DriverVolume& volume) {
    if (std::ranges::find(volumes, volume) == volumes.end()) {
        volumes.push_back(volume);
    }
}

// The limits of one node, and which volumes count towards them there.
class NodeLimits {
public:
    NodeLimits(const CsiNode& node, const VolumeObjects& objects, const KnownTexts& known)
        : node_(node), objects_(objects), known_(known) {}

    const CsiNodeDriver* limit_of(Text driver) const {
        const auto at = std::ranges::find(node_.drivers, driver, &CsiNodeDriver::driver);
        return at != node_.drivers.end() && at->count ? &*at : nullptr;
    }

    void add_in_tree(DriverVolumes& volumes, Text driver, Text handle) const {
        const auto at = std::ranges::find(known_.migrations, driver, &KnownTexts::Migration::driver);
        if (at != known_.migrations.end() && counts(*at) && handle != 0) {
            add_once(volumes, {.driver = driver, .handle = handle, .claim = {}});
        }
    }

    void add_inline(DriverVolumes& volumes, const PodVolume& volume) const {
        if (volume.kind != VolumeKind::csi) {
            add_in_tree(volumes, volume.driver, volume.name);
        }
    }

    void add_claim(DriverVolumes& volumes, const VolumeClaim& claim) const {
        const auto volume = claim.volume != 0 ? objects_.volume(claim.volume) : nullptr;
        if (volume == nullptr) {
            add_by_class(volumes, claim);
        } else if (volume->source != VolumeKind::csi) {
            add_in_tree(volumes, volume->driver, volume->handle);
        } else if (volume->driver != 0 && volume->handle != 0) {
            add_once(volumes, {.driver = volume->driver, .handle = volume->handle, .claim = {}});
        }
    }

    void add_attachments(DriverVolumes& volumes) const {
        for (const auto& attachment : objects_.attachments_of_node(node_.node)) {
            const auto volume = objects_.volume(attachment->volume);
            if (attachment->attacher != 0 && volume != nullptr && volume->source == VolumeKind::csi) {
                add_once(volumes, {.driver = attachment->attacher, .handle = volume->handle, .claim = {}});
            }
        }
    }

private:
    bool counts(const KnownTexts::Migration& kind) const {
        switch (kind.counts) {
            case KnownTexts::Counts::everywhere: return true;
            case KnownTexts::Counts::where_annotated:
                return std::ranges::find(node_.migrated, kind.plugin) != node_.migrated.end();
            case KnownTexts::Counts::nowhere: break;
        }
        return false;
    }

    // Not bound, or to a volume that is gone: counts for the driver that would provision it.
    void add_by_class(DriverVolumes& volumes, const VolumeClaim& claim) const {
        const auto storage_class = claim.storage_class != 0 ? objects_.storage_class(claim.storage_class) : nullptr;
        if (storage_class == nullptr || storage_class->provisioner == 0) {
            return;
        }
        Text driver = storage_class->provisioner;
        const auto at = std::ranges::find(known_.migrations, driver, &KnownTexts::Migration::plugin);
        if (at != known_.migrations.end()) {
            if (!counts(*at)) {
                return;
            }
            driver = at->driver;
        }
        add_once(volumes, {.driver = driver, .handle = 0, .claim = {claim.name_space, claim.name}});
    }

    const CsiNode& node_;
    const VolumeObjects& objects_;
    const KnownTexts& known_;
};

VolumeRefusal claim_is_missing(ClaimName name, const TextTable& texts) {
    const std::string claim(texts.text(name.name));
    return {Verdict::unresolvable,
            {"looking up PVC " + std::string(texts.text(name.name_space)) + "/" + claim + ": persistentvolumeclaim \"" +
             claim + "\" not found"}};
}

VolumeRefusal judge_limits(const VolumePlan& plan, const NodeFacts& node, const NodeVolumes& used,
                           const VolumeObjects& objects, const KnownTexts& known, const TextTable& texts) {
    // Can be without a limit too, if VolumeRestrictions and VolumeBinding are off.
    for (const ClaimName name : plan.limited_claims) {
        if (objects.claim(name) == nullptr) {
            return claim_is_missing(name, texts);
        }
    }
    const auto csi_node = objects.csi_node(node.name);
    if (csi_node == nullptr) {
        return {};
    }
    const NodeLimits limits(*csi_node, objects, known);
    DriverVolumes wanted;
    for (const ClaimName name : plan.limited_claims) {
        limits.add_claim(wanted, *objects.claim(name));
    }
    for (const PodVolume& volume : plan.limited_volumes) {
        limits.add_inline(wanted, volume);
    }
    std::erase_if(wanted, [&](const DriverVolume& volume) { return limits.limit_of(volume.driver) == nullptr; });
    if (wanted.empty()) {
        return {};
    }
    DriverVolumes attached;
    used.for_each_claim([&](ClaimName name, std::uint32_t) {
        if (const auto claim = objects.claim(name)) {
            limits.add_claim(attached, *claim);
        }
    });
    used.for_each_volume([&](const NodeVolumes::UsedVolume& use) { limits.add_inline(attached, use.volume); });
    // Only a volume of a pod is free of charge for the next one: Kubernetes looks at attachments after that.
    std::erase_if(wanted,
                  [&](const DriverVolume& volume) { return std::ranges::find(attached, volume) != attached.end(); });
    limits.add_attachments(attached);
    for (const DriverVolume& volume : wanted) {
        const auto of_driver = [&](const DriverVolume& other) { return other.driver == volume.driver; };
        const auto count = std::ranges::count_if(attached, of_driver) + std::ranges::count_if(wanted, of_driver);
        if (count > *limits.limit_of(volume.driver)->count) {
            return {Verdict::unschedulable, {"node(s) exceed max volume count"}};
        }
    }
    return {};
}

// --- VolumeBinding

bool reaches(const Volume& volume, const NodeFacts& node, const KnownTexts& known, const TextTable& texts) {
    return !volume.nodes || any_term_matches(*volume.nodes, node.labels, 0, known, texts);
}

// The volume that the claim would get at the node, except the volumes in `taken`, which other claims got before. Null:
// none.
const Volume* matching_volume(const WaitingClaim& waiting, const std::vector<Text>& taken, const NodeFacts& node,
                              const VolumeObjects& objects, const KnownTexts& known, const TextTable& texts) {
    for (const auto& volume : waiting.meant) {
        if (std::ranges::find(taken, volume->name) == taken.end()) {
            return reaches(*volume, node, known, texts) ? volume.get() : nullptr;
        }
    }
    return waiting.claim->selected_node != 0 ? nullptr : objects.free_volumes().smallest(*waiting.claim, node, taken);
}

// The volumes that waiting claims get at the node; claims that get none and must be provisioned go to `rest`, if given.
std::vector<ClaimBinding> match_volumes(const VolumePlan& plan, const NodeFacts& node, const VolumeObjects& objects,
                                        const KnownTexts& known, const TextTable& texts,
                                        std::vector<const WaitingClaim*>* rest) {
    std::vector<ClaimBinding> bindings;
    std::vector<Text> taken;
    for (const WaitingClaim& waiting : plan.waiting) {
        const Volume* volume = matching_volume(waiting, taken, node, objects, known, texts);
        if (volume != nullptr) {
            taken.push_back(volume->name);
            bindings.push_back({.claim = {waiting.claim->name_space, waiting.claim->name}, .volume = volume->name});
        } else if (rest != nullptr) {
            rest->push_back(&waiting);
        }
    }
    return bindings;
}

bool allowed_at(const StorageClass& storage_class, const NodeFacts& node, const TextTable& texts) {
    if (storage_class.allowed_topologies.empty()) {
        return true;
    }
    return std::ranges::any_of(storage_class.allowed_topologies, [&](const TopologyTerm& term) {
        return !term.labels.empty() && std::ranges::all_of(term.labels, [&](const LabelRequirement& requirement) {
            return matches(requirement, node.labels, texts);
        });
    });
}

bool has_capacity(const WaitingClaim& waiting, const NodeFacts& node, const TextTable& texts) {
    return !waiting.must_have_capacity || std::ranges::any_of(waiting.capacities, [&](const auto& capacity) {
        return matches(capacity->topology, node.labels, texts);
    });
}

struct BindingFindings {
    bool bound_reach = true;
    bool bound_exist = true;
    bool waiting_served = true;
    bool storage_suffices = true;
};

void look_at_bound(const VolumePlan& plan, const NodeFacts& node, const KnownTexts& known, const TextTable& texts,
                   BindingFindings& findings) {
    findings.bound_reach =
        std::ranges::all_of(plan.bound, [&](const auto& volume) { return reaches(*volume, node, known, texts); });
    // A volume that is gone is reported after the volumes that exist, and only if these are all reached.
    findings.bound_exist = !findings.bound_reach || !plan.bound_volume_is_gone;
}

void look_at_waiting(const VolumePlan& plan, const NodeFacts& node, const VolumeObjects& objects,
                     const KnownTexts& known, const TextTable& texts, BindingFindings& findings) {
    for (const WaitingClaim& waiting : plan.waiting) {
        const Text selected = waiting.claim->selected_node;
        if (selected != 0 && selected != node.name) {
            findings.waiting_served = false;
            return;
        }
    }
    std::vector<const WaitingClaim*> rest;
    match_volumes(plan, node, objects, known, texts, &rest);
    for (const WaitingClaim* waiting : rest) {
        if (!waiting->provisionable || !allowed_at(*waiting->storage_class, node, texts)) {
            findings.waiting_served = false;
            return;
        }
        if (!has_capacity(*waiting, node, texts)) {
            findings.storage_suffices = false;
            return;
        }
    }
}

VolumeRefusal judge_binding(const VolumePlan& plan, const NodeFacts& node, const VolumeObjects& objects,
                            const KnownTexts& known, const TextTable& texts) {
    BindingFindings findings;
    look_at_bound(plan, node, known, texts, findings);
    look_at_waiting(plan, node, objects, known, texts, findings);
    VolumeRefusal refusal;
    const auto add = [&](bool holds, const char* reason) {
        if (!holds) {
            refusal.verdict = Verdict::unresolvable;
            refusal.reasons.emplace_back(reason);
        }
    };
    add(findings.bound_reach, "node(s) didn't match PersistentVolume's node affinity");
    add(findings.waiting_served, "node(s) didn't find available persistent volumes to bind");
    add(findings.storage_suffices, "node(s) did not have enough free storage");
    add(findings.bound_exist, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    return refusal;
}

// --- VolumeZone

VolumeRefusal judge_zones(const VolumePlan& plan, const NodeFacts& node, const KnownTexts& known,
                          const TextTable& texts) {
    const Text zone_keys[] = {known.zone_beta, known.region_beta, known.zone, known.region};
    const bool has_any =
        std::ranges::any_of(zone_keys, [&](Text key) { return label_of(node.labels, key) != nullptr; });
    if (!has_any) {
        return {};  // a cluster of one zone, whose nodes are not labelled
    }
    for (const ZoneDemand& demand : plan.zones) {
        const Label* label = label_of(node.labels, demand.key);
        if (label == nullptr && demand.second_key != 0) {
            label = label_of(node.labels, demand.second_key);
        }
        const bool agrees =
            label != nullptr && std::ranges::find(demand.values, texts.text(label->value)) != demand.values.end();
        if (!agrees) {
            return {Verdict::unresolvable, {"node(s) had no available volume zone"}};
        }
    }
    return {};
}

}  // namespace

VolumeRefusal judge(VolumePredicate predicate, const VolumePlan& plan, const NodeFacts& node, const NodeVolumes& used,
                    const VolumeObjects& objects, const KnownTexts& known, const TextTable& texts) {
    if (!plan.concerns[static_cast<std::size_t>(predicate)]) {
        return {};
    }
    switch (predicate) {
        case VolumePredicate::restrictions: return judge_restrictions(plan, used);
        case VolumePredicate::limits: return judge_limits(plan, node, used, objects, known, texts);
        case VolumePredicate::binding: return judge_binding(plan, node, objects, known, texts);
        case VolumePredicate::zone: return judge_zones(plan, node, known, texts);
    }
    return {};
}

std::vector<ClaimBinding> bindings_at(const VolumePlan& plan, const NodeFacts& node, const VolumeObjects& objects,
                                      const KnownTexts& known, const TextTable& texts) {
    return match_volumes(plan, node, objects, known, texts, nullptr);
}

}  // namespace bayplan
