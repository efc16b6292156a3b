// Bindings that placements took, and claims and volumes as these make them look; see volume_objects.h.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "volumes/attached_volumes.h"
#include "volumes/volume_objects.h"

namespace bayplan {

namespace {

// Where it stood in the list of that key; none: it is not there.
template <typename Lists, typename Key, typename Item>
std::optional<std::size_t> drop_first(Lists& lists, Key key, const Item& item) {
    const auto at = lists.find(key);
    if (at == lists.end()) {
        return std::nullopt;
    }
    const auto first = std::ranges::find(at->second, item);
    if (first == at->second.end()) {
        return std::nullopt;
    }
    const auto stood = static_cast<std::size_t>(first - at->second.begin());
    at->second.erase(first);
    if (at->second.empty()) {
        lists.erase(at);
    }
    return stood;
}

template <typename Lists, typename Key>
void drop_last(Lists& lists, Key key) {
    const auto at = lists.find(key);
    BP_CHECK(at != lists.end());
    at->second.pop_back();
    if (at->second.empty()) {
        lists.erase(at);
    }
}

}  // namespace

void VolumeObjects::renew_views(const ClaimBinding& binding) {
    renew_view(binding.claim);
    renew_view_of_volume(binding.volume);
    ++version_;
}

void VolumeObjects::assume(std::span<const ClaimBinding> bindings) {
    for (const ClaimBinding& binding : bindings) {
        assumed_volumes_[key_of(binding.claim)].push_back(binding.volume);
        assumed_claims_[binding.volume].push_back(binding.claim);
        renew_views(binding);
    }
}

void VolumeObjects::unassume(std::span<const ClaimBinding> bindings) {
    for (std::size_t at = bindings.size(); at-- > 0;) {
        drop_last(assumed_volumes_, key_of(bindings[at].claim));
        drop_last(assumed_claims_, bindings[at].volume);
        renew_views(bindings[at]);
    }
}

std::vector<VolumeObjects::Assumed> VolumeObjects::forget(std::span<const ClaimBinding> bindings) {
    std::vector<Assumed> stood;
    for (const ClaimBinding& binding : bindings) {
        const auto of_claim = drop_first(assumed_volumes_, key_of(binding.claim), binding.volume);
        if (!of_claim) {
            continue;
        }
        const auto of_volume = drop_first(assumed_claims_, binding.volume, binding.claim);
        BP_CHECK(of_volume.has_value());
        stood.push_back({*of_claim, *of_volume});
        renew_views(binding);
    }
    return stood;
}

void VolumeObjects::assume_again(std::span<const ClaimBinding> bindings, std::span<const Assumed> stood) {
    BP_CHECK_OP(bindings.size(), ==, stood.size());
    for (std::size_t at = bindings.size(); at-- > 0;) {
        std::vector<Text>& volumes = assumed_volumes_[key_of(bindings[at].claim)];
        volumes.insert(volumes.begin() + static_cast<std::ptrdiff_t>(stood[at].of_claim), bindings[at].volume);
        std::vector<ClaimName>& claims = assumed_claims_[bindings[at].volume];
        claims.insert(claims.begin() + static_cast<std::ptrdiff_t>(stood[at].of_volume), bindings[at].claim);
        renew_views(bindings[at]);
    }
}

void VolumeObjects::renew_view(ClaimName name) {
    const auto place = claims_.find(key_of(name));
    if (place == claims_.end()) {
        return;
    }
    auto& [stated, view] = place->second;
    view = stated;
    const auto assumed = assumed_volumes_.find(key_of(name));
    if (assumed != assumed_volumes_.end() && stated->volume == 0) {
        VolumeClaim bound = *stated;
        bound.volume = assumed->second.front();
        bound.bind_completed = true;
        view = std::make_shared<const VolumeClaim>(std::move(bound));
    }
    attached_->claim_changed(name);
}

void VolumeObjects::renew_view_of_volume(Text name) {
    const auto place = volumes_.find(name);
    if (place == volumes_.end()) {
        return;
    }
    auto& [stated, view] = place->second;
    unindex(view);
    view = stated;
    const auto assumed = assumed_claims_.find(name);
    if (assumed != assumed_claims_.end() && stated->claim == 0) {
        Volume taken = *stated;
        taken.claim_namespace = assumed->second.front().name_space;
        taken.claim = assumed->second.front().name;
        view = std::make_shared<const Volume>(std::move(taken));
    }
    index(view);
}

}  // namespace bayplan
