// See volume_index.h.
#include "kube_shim/volume_index.h"

#include <algorithm>

#include "kube/node_match.h"

namespace bayplan::kube_shim {

void VolumeIndex::put(const Volume& volume) {
    if (is_free(volume)) {
        free_[volume.storage_class].insert(place_of(volume));
    } else if (volume.claim != 0) {
        kept_for_[{volume.claim_namespace, volume.claim}][texts_.text(volume.name)] = &volume;
    }
}

void VolumeIndex::take_out(const Volume& volume) {
    if (const auto at = free_.find(volume.storage_class); is_free(volume) && at != free_.end()) {
        at->second.erase(place_of(volume));
        if (at->second.empty()) {
            free_.erase(at);
        }
    }
    if (const auto at = kept_for_.find({volume.claim_namespace, volume.claim}); at != kept_for_.end()) {
        at->second.erase(texts_.text(volume.name));
        if (at->second.empty()) {
            kept_for_.erase(at);
        }
    }
}

bool VolumeIndex::reaches(const Volume& volume, const kube::ConvertedNode& node) const {
    return !volume.nodes ||
           std::ranges::any_of(*volume.nodes, [&](const NodeTerm& term) { return kube::matches(term, node, texts_); });
}

Text VolumeIndex::choose(const VolumeClaim& claim, const kube::ConvertedNode& node, const Taken& taken) const {
    if (const auto kept = kept_for_.find({claim.name_space, claim.name}); kept != kept_for_.end()) {
        for (const auto& [name, volume] : kept->second) {
            const bool meant = volume->storage_class == claim.storage_class && volume->bytes >= claim.bytes &&
                               volume->block_mode == claim.block_mode && !volume->deleting &&
                               (!volume->claim_has_uid || volume->available);
            if (meant && !taken.contains(volume->name)) {
                return reaches(*volume, node) ? volume->name : 0;
            }
        }
    }
    const auto free = free_.find(claim.storage_class);
    if (free == free_.end()) {
        return 0;
    }
    for (auto at = free->second.lower_bound({claim.bytes, {}, nullptr}); at != free->second.end(); ++at) {
        const Volume& volume = *std::get<2>(*at);
        const bool suits = volume.block_mode == claim.block_mode && (claim.access_modes & ~volume.access_modes) == 0 &&
                           (!claim.selector || kube::matches(*claim.selector, volume.labels, texts_)) &&
                           !taken.contains(volume.name);
        if (suits && reaches(volume, node)) {
            return volume.name;
        }
    }
    return 0;
}

}  // namespace bayplan::kube_shim
