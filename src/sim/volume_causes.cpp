// See volume_causes.h.
#include "sim/volume_causes.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "kube/node_match.h"
#include "sim/use_report.h"

namespace bayplan::sim {

namespace {

std::vector<Label> labels_of(const kube::ConvertedNode& node) {
    std::vector<Label> labels;
    for (const Attribute& one : node.attributes) labels.push_back({one.key, one.value});
    return labels;
}

}  // namespace

const VolumeClaim* VolumeCauses::claim_of(const PodVolume& volume) const {
    return find<VolumeClaim>(
        [&](const VolumeClaim& one) { return one.name == volume.name && one.name_space == spec_.name_space; });
}

std::vector<std::string> VolumeCauses::binding(const kube::ConvertedNode& node) const {
    std::vector<std::string> causes;
    for (const PodVolume& volume : spec_.volumes) {
        if (volume.kind != VolumeKind::claim) continue;
        const std::string state = state_of(volume, node);
        if (!state.empty()) causes.push_back(fmt::format("claim {} {}", name(volume.name), state));
    }
    return causes;
}

// Empty: nothing speaks against it.
std::string VolumeCauses::state_of(const PodVolume& volume, const kube::ConvertedNode& node) const {
    const VolumeClaim* const claim = claim_of(volume);
    if (claim == nullptr) return "is not there";
    if (claim->deleting) return "is being deleted";
    if (claim->lost) return "has lost its volume";
    if (claim->volume == 0 || !claim->bind_completed) return waiting(*claim);
    const Volume* const bound = find<Volume>([&](const Volume& one) { return one.name == claim->volume; });
    if (bound == nullptr) return fmt::format("is bound to volume {}, which is not there", name(claim->volume));
    return where(*bound, node);
}

std::string VolumeCauses::waiting(const VolumeClaim& claim) const {
    const std::string size = amount_text("memory", claim.bytes);
    if (claim.storage_class == 0) return fmt::format("is not bound, and has no class: no volume of {} is free", size);
    const std::string_view class_name = name(claim.storage_class);
    const StorageClass* const found =
        find<StorageClass>([&](const StorageClass& one) { return one.name == claim.storage_class; });
    if (found == nullptr) return fmt::format("is not bound, and its class {} is not there", class_name);
    if (!found->wait_for_first_consumer) {
        return fmt::format("is not bound yet: class {} binds at once, by {}", class_name, name(found->provisioner));
    }
    return fmt::format("waits for its pod: no volume of class {} and {} is free for this node", class_name, size);
}

std::string VolumeCauses::where(const Volume& volume, const kube::ConvertedNode& node) const {
    const std::vector<Label> labels = labels_of(node);
    const auto wish = [&](const LabelRequirement& wanted) {
        std::vector<std::string_view> values;
        for (const Text value : wanted.values) values.push_back(name(value));
        return fmt::format("{} of [{}]", name(wanted.key), fmt::join(values, ", "));
    };
    std::vector<std::string> wishes;
    for (const NodeTerm& term : volume.nodes.value_or(std::vector<NodeTerm>())) {
        const auto fails = [&](const LabelRequirement& one) { return !kube::matches(one, labels, dump_.texts()); };
        const auto found = std::ranges::find_if(term.labels, fails);
        if (found == term.labels.end()) return "";
        wishes.push_back(wish(*found));
    }
    for (const Label& label : volume.labels) {
        const LabelRequirement same{label.key, LabelOperator::in, {label.value}};
        const std::string_view key = name(label.key);
        const bool place = key.ends_with("/zone") || key.ends_with("/region");
        if (place && !kube::matches(same, labels, dump_.texts())) wishes.push_back(wish(same));
    }
    if (wishes.empty()) return "";
    return fmt::format("is bound to volume {}, which wants {}", name(volume.name), fmt::join(wishes, " or "));
}

std::vector<std::string> VolumeCauses::limits(const kube::ConvertedNode& node, const VolumesInUse& in_use) const {
    std::vector<std::string> causes;
    const CsiNode* const drivers = find<CsiNode>([&](const CsiNode& one) { return one.node == node.name; });
    if (drivers == nullptr) return causes;
    for (const VolumesInUse::Full& one : in_use.full(*drivers, spec_)) {
        causes.push_back(fmt::format("driver {}: {} of {} volumes in use there, {} more asked for: {}",
                                     name(one.driver), one.used, one.most, one.asked.size(),
                                     fmt::join(one.asked, ", ")));
    }
    return causes;
}

std::vector<std::string> VolumeCauses::sharing() const {
    std::vector<std::string> causes;
    constexpr auto kOnePod = static_cast<std::uint8_t>(AccessMode::read_write_once_pod);
    for (const PodVolume& volume : spec_.volumes) {
        const VolumeClaim* const claim = volume.kind == VolumeKind::claim ? claim_of(volume) : nullptr;
        if (claim == nullptr || (claim->access_modes & kOnePod) == 0) continue;
        use_.for_each_placed([&](const kube::ConvertedPod& pod, std::size_t) {
            const PodSpec& spec = dump_.spec_of(pod);
            const bool has =
                spec.name_space == spec_.name_space && std::ranges::any_of(spec.volumes, [&](const PodVolume& one) {
                    return one.kind == VolumeKind::claim && one.name == volume.name;
                });
            if (has)
                causes.push_back(
                    fmt::format("claim {} is for one pod alone, and {} has it", name(volume.name), pod.key));
        });
    }
    return causes;
}

}  // namespace bayplan::sim
