// The part of judging a pod's volumes that is the same for all nodes, done once. See volume_plan.h.

#include <algorithm>
#include <optional>
#include <utility>

#include "labels/selector.h"
#include "volumes/node_volumes.h"
#include "volumes/volume_plan.h"

namespace bayplan {

namespace {

constexpr std::size_t index_of(VolumePredicate predicate) { return static_cast<std::size_t>(predicate); }

VolumeRefusal unresolvable(std::string reason) { return {Verdict::unresolvable, {std::move(reason)}}; }

// Makes one plan; lives for one call of prepare.
class Maker {
public:
    Maker(const PodSpec& spec, const VolumeObjects& objects, const KnownTexts& known, const TextTable& texts)
        : spec_(spec), objects_(objects), known_(known), texts_(texts) {}

    VolumePlan make() {
        restrictions();
        limits();
        binding();
        zones();
        return std::move(plan_);
    }

private:
    std::shared_ptr<const VolumeClaim> claim_of(const PodVolume& volume) const {
        return objects_.claim({spec_.name_space, volume.name});
    }
    std::string quoted(Text text) const { return "\"" + std::string(texts_.text(text)) + "\""; }
    std::string not_found(const PodVolume& volume) const {
        return "persistentvolumeclaim " + quoted(volume.name) + " not found";
    }
    void refuse(VolumePredicate predicate, std::string reason) {
        plan_.concerns[index_of(predicate)] = true;
        plan_.whole_pod[index_of(predicate)] = unresolvable(std::move(reason));
    }

    void restrictions();
    void limits();
    void binding();
    std::optional<std::string> claim_fault(const PodVolume&) const;
    bool waits(const VolumeClaim&) const;
    void add_bound(const VolumeClaim&);
    void order_waiting();
    WaitingClaim waiting_claim(std::shared_ptr<const VolumeClaim>) const;
    std::vector<std::shared_ptr<const Volume>> meant_for(const VolumeClaim&) const;
    void zones();
    std::optional<std::string> zone_fault(const PodVolume&);
    std::optional<std::string> unbound_zone_fault(const VolumeClaim&) const;
    void add_zones(const Volume&);

    const PodSpec& spec_;
    const VolumeObjects& objects_;
    const KnownTexts& known_;
    const TextTable& texts_;
    VolumePlan plan_;
};

void Maker::restrictions() {
    std::vector<Text> exclusive;
    for (const PodVolume& volume : spec_.volumes) {
        switch (volume.kind) {
            case VolumeKind::gce_disk:
            case VolumeKind::aws_disk:
            case VolumeKind::iscsi:
            case VolumeKind::rbd: plan_.disks.push_back(volume); break;
            case VolumeKind::claim: {
                const auto claim = claim_of(volume);
                if (claim == nullptr) {
                    refuse(VolumePredicate::restrictions, not_found(volume));
                    return;
                }
                const auto once_pod = static_cast<std::uint8_t>(AccessMode::read_write_once_pod);
                const bool seen = std::ranges::find(exclusive, volume.name) != exclusive.end();
                if ((claim->access_modes & once_pod) != 0 && !seen) {
                    exclusive.push_back(volume.name);
                    plan_.claims_taken += objects_.pods_using({spec_.name_space, volume.name}) > 0;
                }
                break;
            }
            default: break;
        }
    }
    plan_.concerns[index_of(VolumePredicate::restrictions)] = !plan_.disks.empty() || plan_.claims_taken > 0;
}

void Maker::limits() {
    for (const PodVolume& volume : spec_.volumes) {
        if (is_claim(volume)) {
            const ClaimName claim{spec_.name_space, volume.name};
            if (std::ranges::find(plan_.limited_claims, claim) == plan_.limited_claims.end()) {
                plan_.limited_claims.push_back(claim);
            }
        } else if (volume.driver != 0 && volume.kind != VolumeKind::csi) {
            plan_.limited_volumes.push_back(volume);
        }
    }
    plan_.concerns[index_of(VolumePredicate::limits)] = !plan_.limited_claims.empty() || !plan_.limited_volumes.empty();
}

// Why no node can bind this claim.
std::optional<std::string> Maker::claim_fault(const PodVolume& volume) const {
    const bool ephemeral = volume.kind == VolumeKind::ephemeral;
    const auto claim = claim_of(volume);
    if (claim == nullptr) {
        return ephemeral ? "waiting for ephemeral volume controller to create the persistentvolumeclaim " +
                               quoted(volume.name)
                         : not_found(volume);
    }
    if (claim->lost) {
        return "persistentvolumeclaim " + quoted(volume.name) + " bound to non-existent persistentvolume " +
               quoted(claim->volume);
    }
    if (claim->deleting) {
        return "persistentvolumeclaim " + quoted(volume.name) + " is being deleted";
    }
    if (ephemeral && (claim->owner_pod == 0 || claim->owner_pod != volume.pod)) {
        const std::string name_space(texts_.text(spec_.name_space));
        return "PVC " + name_space + "/" + std::string(texts_.text(volume.name)) + " was not created for pod " +
               name_space + "/" + std::string(texts_.text(volume.pod)) + " (pod is not owner)";
    }
    return std::nullopt;
}

bool Maker::waits(const VolumeClaim& claim) const {
    if (claim.volume != 0 || claim.storage_class == 0) {
        return false;  // the volume controller binds a claim that names a volume
    }
    const auto storage_class = objects_.storage_class(claim.storage_class);
    return storage_class != nullptr && storage_class->has_binding_mode && storage_class->wait_for_first_consumer;
}

void Maker::binding() {
    // All claims are looked at before the first is asked whether it is bound.
    for (const PodVolume& volume : spec_.volumes) {
        if (!is_claim(volume)) {
            continue;
        }
        plan_.concerns[index_of(VolumePredicate::binding)] = true;
        if (auto fault = claim_fault(volume)) {
            refuse(VolumePredicate::binding, std::move(*fault));
            return;
        }
    }
    for (const PodVolume& volume : spec_.volumes) {
        if (!is_claim(volume)) {
            continue;
        }
        auto claim = claim_of(volume);
        if (claim->volume != 0 && claim->bind_completed) {
            add_bound(*claim);
        } else if (waits(*claim)) {
            plan_.waiting.push_back(waiting_claim(std::move(claim)));
        } else {
            refuse(VolumePredicate::binding, "pod has unbound immediate PersistentVolumeClaims");
            return;
        }
    }
    order_waiting();
}

void Maker::add_bound(const VolumeClaim& claim) {
    if (plan_.bound_volume_is_gone) {
        return;  // the first that is gone ends the look at bound claims
    }
    auto volume = objects_.volume(claim.volume);
    if (volume == nullptr) {
        plan_.bound_volume_is_gone = true;
    } else {
        plan_.bound.push_back(std::move(volume));
    }
}

void Maker::order_waiting() {
    const auto is_open = [](const WaitingClaim& waiting) { return waiting.claim->selected_node == 0; };
    std::ranges::stable_sort(plan_.waiting, [&](const WaitingClaim& a, const WaitingClaim& b) {
        if (is_open(a) != is_open(b)) {
            return is_open(b);
        }
        return is_open(a) && a.claim->bytes < b.claim->bytes;
    });
}

WaitingClaim Maker::waiting_claim(std::shared_ptr<const VolumeClaim> claim) const {
    WaitingClaim waiting;
    waiting.storage_class = objects_.storage_class(claim->storage_class);
    const Text provisioner = waiting.storage_class->provisioner;
    waiting.provisionable = provisioner != 0 && provisioner != known_.no_provisioner;
    if (claim->selected_node == 0) {
        waiting.meant = meant_for(*claim);
    }
    const auto driver = objects_.csi_driver(provisioner);
    // A claim that asks for no amount has nothing to be compared.
    waiting.must_have_capacity = driver != nullptr && driver->storage_capacity && claim->bytes > 0;
    if (waiting.must_have_capacity) {
        for (auto& capacity : objects_.capacities_of_class(claim->storage_class)) {
            const std::int64_t limit = capacity->bytes_max >= 0 ? capacity->bytes_max : capacity->bytes;
            if (capacity->topology && limit >= claim->bytes) {
                waiting.capacities.push_back(std::move(capacity));
            }
        }
    }
    waiting.claim = std::move(claim);
    return waiting;
}

// Volumes that are kept for this claim, if they are of its class, large enough and of the right mode.
std::vector<std::shared_ptr<const Volume>> Maker::meant_for(const VolumeClaim& claim) const {
    auto volumes = objects_.volumes_of_claim({claim.name_space, claim.name});
    std::erase_if(volumes, [&](const auto& volume) {
        // One with a uid that is not available was bound to a former claim of the name.
        return volume->storage_class != claim.storage_class || volume->bytes < claim.bytes ||
               volume->block_mode != claim.block_mode || volume->deleting ||
               (volume->claim_has_uid && !volume->available);
    });
    return volumes;
}

void Maker::zones() {
    for (const PodVolume& volume : spec_.volumes) {
        if (volume.kind != VolumeKind::claim) {
            continue;  // ephemeral claims are not looked at here
        }
        if (auto fault = zone_fault(volume)) {
            refuse(VolumePredicate::zone, std::move(*fault));
            return;
        }
    }
    plan_.concerns[index_of(VolumePredicate::zone)] = !plan_.zones.empty();
}

std::optional<std::string> Maker::zone_fault(const PodVolume& volume) {
    if (volume.name == 0) {
        return "PersistentVolumeClaim had no name";
    }
    const auto claim = claim_of(volume);
    if (claim == nullptr) {
        return not_found(volume);
    }
    if (claim->volume == 0) {
        return unbound_zone_fault(*claim);
    }
    const auto bound = objects_.volume(claim->volume);
    if (bound == nullptr) {
        return "persistentvolume " + quoted(claim->volume) + " not found";
    }
    add_zones(*bound);
    return std::nullopt;
}

std::optional<std::string> Maker::unbound_zone_fault(const VolumeClaim& claim) const {
    if (claim.storage_class == 0) {
        return "PersistentVolumeClaim had no pv name and storageClass name";
    }
    const auto storage_class = objects_.storage_class(claim.storage_class);
    if (storage_class == nullptr) {
        return "storageclass.storage.k8s.io " + quoted(claim.storage_class) + " not found";
    }
    if (!storage_class->has_binding_mode) {
        return "VolumeBindingMode not set for StorageClass " + quoted(claim.storage_class);
    }
    if (!storage_class->wait_for_first_consumer) {
        return "PersistentVolume had no name";
    }
    return std::nullopt;
}

// The values that "a__b" names; none if one of them is blank: such a label is no demand.
std::vector<std::string> zone_values(std::string_view list) {
    constexpr std::string_view kBetween = "__";
    constexpr std::string_view kBlank = " \t\n\v\f\r";
    std::vector<std::string> values;
    while (true) {
        const std::size_t end = list.find(kBetween);
        const std::string_view value = list.substr(0, end);
        const std::size_t from = value.find_first_not_of(kBlank);
        if (from == std::string_view::npos) {
            return {};
        }
        values.emplace_back(value.substr(from, value.find_last_not_of(kBlank) - from + 1));
        if (end == std::string_view::npos) {
            return values;
        }
        list.remove_prefix(end + kBetween.size());
    }
}

void Maker::add_zones(const Volume& volume) {
    const std::pair<Text, Text> keys[] = {
        {known_.zone_beta, known_.zone}, {known_.region_beta, known_.region}, {known_.zone, 0}, {known_.region, 0}};
    for (const auto& [key, second_key] : keys) {
        const Label* label = label_of(volume.labels, key);
        if (label == nullptr) {
            continue;
        }
        if (auto values = zone_values(texts_.text(label->value)); !values.empty()) {
            plan_.zones.push_back({.key = key, .second_key = second_key, .values = std::move(values)});
        }
    }
}

}  // namespace

VolumePlan prepare(const PodSpec& spec, const VolumeObjects& objects, const KnownTexts& known, const TextTable& texts) {
    return Maker(spec, objects, known, texts).make();
}

}  // namespace bayplan
