// See volumes_in_use.h. Volumes count as in src/volumes.
#include "sim/volumes_in_use.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

namespace bayplan::sim {

namespace {

bool is_claim(const PodVolume& volume) {
    return volume.kind == VolumeKind::claim || volume.kind == VolumeKind::ephemeral;
}

}  // namespace

VolumesInUse::VolumesInUse(const kube::ClusterDump& dump, const ClusterUse& use) : dump_(dump) {
    index();
    use.for_each_placed([&](const kube::ConvertedPod& pod, std::size_t node) {
        const PodSpec& spec = dump.spec_of(pod);
        for (const PodVolume& volume : spec.volumes) {
            const DriverVolume one = known(spec, volume);
            if (std::get<0>(one) != 0) held_[dump.nodes()[node].name].by_pods.insert(one);
        }
    });
    for (auto& [node, held] : held_) held.all = held.by_pods;
    for (const ClusterObject& object : dump.objects()) {
        if (const auto* const attachment = std::get_if<VolumeAttachment>(&object)) hold(*attachment);
    }
}

void VolumesInUse::index() {
    for (const ClusterObject& object : dump_.objects()) {
        if (const auto* const claim = std::get_if<VolumeClaim>(&object)) {
            claims_.try_emplace({claim->name_space, claim->name}, claim);
        } else if (const auto* const volume = std::get_if<Volume>(&object)) {
            volumes_.try_emplace(volume->name, volume);
        } else if (const auto* const one = std::get_if<StorageClass>(&object)) {
            classes_.try_emplace(one->name, one);
        }
    }
}

// Not by a pod: a volume that is being taken off, or that somebody else attached.
void VolumesInUse::hold(const VolumeAttachment& attachment) {
    const auto volume = volumes_.find(attachment.volume);
    if (attachment.attacher == 0 || volume == volumes_.end() || volume->second->source != VolumeKind::csi) return;
    held_[attachment.node].all.insert({attachment.attacher, volume->second->handle, {}});
}

VolumesInUse::DriverVolume VolumesInUse::known(const PodSpec& spec, const PodVolume& volume) const {
    if (!is_claim(volume)) {
        // Inline ones of a driver's own kind have no limit.
        return volume.kind == VolumeKind::csi ? DriverVolume() : DriverVolume(volume.driver, volume.name, {});
    }
    const auto claim = claims_.find({spec.name_space, volume.name});
    return claim == claims_.end() ? DriverVolume() : known(*claim->second);
}

VolumesInUse::DriverVolume VolumesInUse::known(const VolumeClaim& claim) const {
    if (const auto volume = volumes_.find(claim.volume); volume != volumes_.end()) {
        const Volume& bound = *volume->second;
        return bound.handle == 0 ? DriverVolume() : DriverVolume(bound.driver, bound.handle, {});
    }
    const auto found = classes_.find(claim.storage_class);
    return found == classes_.end() ? DriverVolume()
                                   : DriverVolume(found->second->provisioner, 0, {claim.name_space, claim.name});
}

std::vector<VolumesInUse::Full> VolumesInUse::full(const CsiNode& node, const PodSpec& spec) const {
    static const Held kNothing;
    const auto found = held_.find(node.node);
    const Held& held = found == held_.end() ? kNothing : found->second;
    std::vector<Full> limits;
    for (const CsiNodeDriver& driver : node.drivers) {
        if (!driver.count) continue;
        const auto of_driver = [&](const DriverVolume& one) { return std::get<0>(one) == driver.driver; };
        Full limit{
            driver.driver, *driver.count, static_cast<std::size_t>(std::ranges::count_if(held.all, of_driver)), {}};
        std::set<DriverVolume> wanted;
        for (const PodVolume& volume : spec.volumes) {
            const DriverVolume one = known(spec, volume);
            if (!of_driver(one) || held.by_pods.contains(one) || !wanted.insert(one).second) continue;
            limit.asked.push_back(
                fmt::format("{} {}", is_claim(volume) ? "claim" : "disk", dump_.texts().text(volume.name)));
        }
        const auto sum = static_cast<std::int64_t>(limit.used + limit.asked.size());
        if (!limit.asked.empty() && sum > limit.most) limits.push_back(std::move(limit));
    }
    return limits;
}

}  // namespace bayplan::sim
