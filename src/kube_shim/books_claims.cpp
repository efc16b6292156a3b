// Claims of a placed pod that need something before it may be bound. See books.h.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube_shim/books.h"

namespace bayplan::kube_shim {

namespace {

std::string_view word_of(LabelOperator op) {
    static constexpr std::string_view kWords[] = {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    return kWords[static_cast<std::size_t>(op)];
}

}  // namespace

const ClusterObject* Books::object(std::string_view kind, std::string_view name_space, std::string_view name) const {
    const auto found = objects_.find(fmt::format("{} {}/{}", kind, name_space, name));
    return found == objects_.end() ? nullptr : &found->second.made;
}

template <typename Record>
const Record* Books::record(std::string_view kind, std::string_view name_space, std::string_view name) const {
    const ClusterObject* const made = object(kind, name_space, name);
    return made == nullptr ? nullptr : std::get_if<Record>(made);
}

const kube::ConvertedNode* Books::node_record(std::string_view name) const {
    const auto found = nodes_.find("Node /" + std::string(name));
    return found == nodes_.end() ? nullptr : &found->second.made;
}

ClaimSteps Books::claims_to_prepare(const std::string& key, std::string_view node, std::string_view devices) {
    ClaimSteps steps;
    const BookedPod* const pod = find(key);
    if (pod != nullptr && pod->spec != 0) {
        const PodSpec& spec = converter_.specs().records()[pod->spec - 1].spec;
        add_storage(*pod, spec, node, steps);
        add_devices(*pod, spec, node, devices, steps);
        add_extended(key, *pod, node, devices, steps);
    }
    return steps;
}

void Books::add_storage(const BookedPod& pod, const PodSpec& spec, std::string_view node, ClaimSteps& steps) {
    std::vector<const VolumeClaim*> waiting;
    for (const PodVolume& volume : spec.volumes) {
        if (volume.kind != VolumeKind::claim && volume.kind != VolumeKind::ephemeral) {
            continue;
        }
        const auto* const claim =
            record<VolumeClaim>("PersistentVolumeClaim", text(spec.name_space), text(volume.name));
        if (claim != nullptr && claim->volume != 0 && claim->bind_completed) {
            continue;
        }
        const auto* const of =
            claim == nullptr ? nullptr : record<StorageClass>("StorageClass", "", text(claim->storage_class));
        if (claim == nullptr || claim->volume != 0 || of == nullptr || !of->wait_for_first_consumer) {
            steps.fault = fmt::format("claim {} has nothing bound to it", text(volume.name));
            return;
        }
        if (std::ranges::find(waiting, claim) == waiting.end()) {
            waiting.push_back(claim);
        }
    }
    const kube::ConvertedNode* const at = node_record(node);
    if (waiting.empty() || at == nullptr) {
        return;
    }
    // In the engine's order: claims whose node is selected, then by size.
    std::ranges::stable_sort(waiting, [](const VolumeClaim* one, const VolumeClaim* other) {
        const bool open = one->selected_node == 0;
        return open != (other->selected_node == 0) ? !open : open && one->bytes < other->bytes;
    });
    for (const VolumeClaim* const claim : waiting) {
        const Text volume = claim->selected_node != 0 ? 0 : volumes_.choose(*claim, *at, taken_volumes_);
        if (volume != 0) {
            taken_volumes_.insert(volume);
            taken_by_[pod.uid].push_back(volume);
        }
        steps.storage.push_back(
            {fmt::format("{}/{}", text(claim->name_space), text(claim->name)), std::string(text(volume))});
    }
}

void Books::add_devices(const BookedPod& pod, const PodSpec& spec, std::string_view node, std::string_view devices,
                        ClaimSteps& steps) {
    if (spec.resource_claims.claims.empty()) {
        return;
    }
    auto given = devices_by_claim(devices);
    for (const PodResourceClaim& entry : spec.resource_claims.claims) {
        const std::string name(text(entry.claim));
        if (!add_device_step(pod, fmt::format("{}/{}", text(spec.name_space), name), std::move(given[name]), node,
                             steps)) {
            return;
        }
    }
}

// False: it cannot be prepared.
bool Books::add_device_step(const BookedPod& pod, const std::string& claim, std::vector<GivenDevice>&& given,
                            std::string_view node, ClaimSteps& steps) {
    const BookedObject* const booked = resource_claim(claim);
    if (booked == nullptr) {
        steps.fault = fmt::format("resource claim {} is not there", claim);
        return false;
    }
    const auto& made = std::get<ResourceClaim>(booked->made);
    const bool allocated = made.allocation && !booked->given_back;
    if (allocated && !given.empty()) {
        // By somebody else meanwhile; or it was given back, and who was told so wrote it nowhere and is gone.
        keep(claim);
        steps.fault = fmt::format("resource claim {} is allocated by now", claim);
        return false;
    }
    const Text uid = converter_.texts().find(pod.uid);
    if (allocated && uid != 0 && std::ranges::find(made.reserved_for, uid) != made.reserved_for.end()) {
        return true;
    }
    DeviceStep& step = steps.devices.emplace_back();
    step.claim = claim;
    if (!allocated) {
        step.devices = std::move(given);
        limit_nodes(node, step);
    }
    return true;
}

// --- giving back

Books::BookedObject* Books::resource_claim(const std::string& claim) {
    const auto found = objects_.find("ResourceClaim " + claim);
    const bool is_one = found != objects_.end() && std::holds_alternative<ResourceClaim>(found->second.made);
    return is_one ? &found->second : nullptr;
}

void Books::give_back(const std::string& claim) {
    if (BookedObject* const booked = resource_claim(claim)) {
        booked->given_back = true;
    }
}

void Books::keep(const std::string& claim) {
    BookedObject* const booked = resource_claim(claim);
    if (booked == nullptr) {
        return;
    }
    booked->given_back = false;
    booked->begins_anew = booked->stated;
    if (!std::exchange(booked->queued, true)) {
        queue(Entry::object, "ResourceClaim " + claim);
    }
}

// As Kubernetes does it: a device of one node's slice binds the claim to the node, others to the nodes of their slices.
void Books::limit_nodes(std::string_view node, DeviceStep& step) const {
    for (const GivenDevice& device : step.devices) {
        const ResourceSlice* const slice = slice_of(device, node);
        if (slice != nullptr && slice->reach == SliceReach::node) {
            step.expressions.clear();
            step.fields = {{"metadata.name", "In", {std::string(node)}}};
            return;
        }
        if (slice == nullptr || slice->reach != SliceReach::selected_nodes) {
            continue;
        }
        for (const bool of_fields : {false, true}) {
            auto& made = of_fields ? step.fields : step.expressions;
            for (const LabelRequirement& one : of_fields ? slice->nodes.fields : slice->nodes.labels) {
                NodeRequirement wanted{std::string(text(one.key)), std::string(word_of(one.op)), {}};
                for (const Text value : one.values) {
                    wanted.values.emplace_back(text(value));
                }
                if (std::ranges::find(made, wanted) == made.end()) {
                    made.push_back(std::move(wanted));
                }
            }
        }
    }
}

// The slice that shows the device to the node, of the pool's newest generation.
const ResourceSlice* Books::slice_of(const GivenDevice& device, std::string_view node) const {
    const ResourceSlice* found = nullptr;
    const auto slices = named_.find("ResourceSlice");
    for (const std::string& name : slices == named_.end() ? Seen() : slices->second) {
        const auto at = objects_.find(name);
        const auto* const slice = at == objects_.end() ? nullptr : std::get_if<ResourceSlice>(&at->second.made);
        const bool its = slice != nullptr && text(slice->driver) == device.driver && text(slice->pool) == device.pool &&
                         (slice->reach != SliceReach::node || text(slice->node) == node) &&
                         (found == nullptr || slice->generation > found->generation);
        if (its && std::ranges::any_of(slice->devices,
                                       [&](const SliceDevice& one) { return text(one.name) == device.device; })) {
            found = slice;
        }
    }
    return found;
}

StorageState Books::storage_state(const StorageStep& step, const std::string& node) const {
    const std::size_t slash = step.claim.find('/');
    const auto* const claim =
        record<VolumeClaim>("PersistentVolumeClaim", step.claim.substr(0, slash), step.claim.substr(slash + 1));
    if (claim == nullptr) {
        return {StorageState::lost, fmt::format("claim {} is gone", step.claim)};
    }
    const kube::ConvertedNode* const at = node_record(node);
    if (at == nullptr) {
        return {StorageState::lost, fmt::format("node {} is gone", node)};
    }
    const std::string volume_name(claim->volume != 0 ? text(claim->volume) : std::string_view(step.volume));
    const auto* const volume = record<Volume>("PersistentVolume", "", volume_name);
    if (volume != nullptr && !volumes_.reaches(*volume, *at)) {
        return {StorageState::lost, fmt::format("volume {} does not reach node {}", volume_name, node)};
    }
    if (claim->volume != 0 && claim->bind_completed && volume != nullptr) {
        return {StorageState::bound, {}};
    }
    if (!step.volume.empty()) {
        if (volume == nullptr) {
            return {StorageState::lost, fmt::format("volume {} is gone", step.volume)};
        }
        const bool others =
            volume->claim != 0 && (volume->claim_namespace != claim->name_space || volume->claim != claim->name);
        if (others) {
            return {StorageState::lost, fmt::format("volume {} is another claim's", step.volume)};
        }
        return {volume->claim_has_uid ? StorageState::marked : StorageState::unmarked, {}};
    }
    if (claim->selected_node != 0 && text(claim->selected_node) != node) {
        return {StorageState::lost, fmt::format("claim {} is provisioned for another node", step.claim)};
    }
    return {claim->selected_node != 0 ? StorageState::marked : StorageState::unmarked, {}};
}

void Books::release_volumes(const std::string& uid) {
    const auto taken = taken_by_.find(uid);
    if (taken == taken_by_.end()) {
        return;
    }
    for (const Text volume : taken->second) {
        taken_volumes_.erase(volume);
    }
    taken_by_.erase(taken);
}

}  // namespace bayplan::kube_shim
