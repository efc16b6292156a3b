// Objects of storage. See volume_objects.h.

#include "volumes/volume_objects.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "labels/selector.h"

namespace bayplan {

namespace {

template <typename Object, typename... Kinds>
constexpr bool kIsOneOf = (std::is_same_v<Object, Kinds> || ...);

template <typename Object>
constexpr bool kKept =
    kIsOneOf<Object, VolumeClaim, Volume, StorageClass, CsiNode, CsiDriver, CsiCapacity, VolumeAttachment>;

template <typename Object>
void give_back(const std::shared_ptr<const Object>& old, std::optional<ClusterObject>* before) {
    if (old != nullptr && before != nullptr) {
        before->emplace(*old);
    }
}

// The object under this key, replaced; what was there before.
template <typename Map, typename Key, typename Object>
auto replace(Map& map, Key key, const Object& object) {
    auto& place = map[key];
    return std::exchange(place, std::make_shared<const Object>(object));
}

template <typename Map, typename Key>
typename Map::mapped_type take_out(Map& map, Key key) {
    typename Map::mapped_type taken{};
    if (const auto at = map.find(key); at != map.end()) {
        taken = std::move(at->second);
        map.erase(at);
    }
    return taken;
}

template <typename Lists, typename Item>
void drop_from(Lists& lists, Text key, const Item& item) {
    const auto at = lists.find(key);
    if (at == lists.end()) {
        return;
    }
    std::erase(at->second, item);
    if (at->second.empty()) {
        lists.erase(at);
    }
}

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

template <typename Map, typename Key>
auto found_in(const Map& map, Key key) -> typename Map::mapped_type {
    const auto at = map.find(key);
    return at == map.end() ? nullptr : at->second;
}

}  // namespace

bool VolumeObjects::apply(const ClusterObject& object, std::optional<ClusterObject>* before) {
    return std::visit(
        [&](const auto& of_kind) {
            using Object = std::decay_t<decltype(of_kind)>;
            if constexpr (kKept<Object>) {
                put(of_kind, before);
                ++version_;
            }
            return kKept<Object>;
        },
        object);
}

bool VolumeObjects::remove(const ClusterObject& object, std::optional<ClusterObject>* before) {
    return std::visit(
        [&](const auto& of_kind) {
            using Object = std::decay_t<decltype(of_kind)>;
            if constexpr (kKept<Object>) {
                take(of_kind, before);
                ++version_;
            }
            return kKept<Object>;
        },
        object);
}

void VolumeObjects::put(const VolumeClaim& claim, Before before) {
    auto& place = claims_[key_of(claim.name_space, claim.name)];
    give_back(place.stated, before);
    place.stated = std::make_shared<const VolumeClaim>(claim);
    renew_view({claim.name_space, claim.name});
}

void VolumeObjects::put(const Volume& stated, Before before) {
    auto& place = volumes_[stated.name];
    give_back(place.stated, before);
    if (place.stated != nullptr) {
        drop_from(volumes_by_class_, place.stated->storage_class, stated.name);
    }
    volumes_by_class_[stated.storage_class].push_back(stated.name);
    Volume sorted = stated;
    sorted.labels = sorted_by_key(std::move(sorted.labels));
    place.stated = std::make_shared<const Volume>(std::move(sorted));
    renew_view_of_volume(stated.name);
}

void VolumeObjects::put(const StorageClass& object, Before before) {
    give_back(replace(classes_, object.name, object), before);
}

void VolumeObjects::put(const CsiNode& object, Before before) {
    give_back(replace(csi_nodes_, object.node, object), before);
}

void VolumeObjects::put(const CsiDriver& object, Before before) {
    give_back(replace(drivers_, object.name, object), before);
}

void VolumeObjects::put(const CsiCapacity& object, Before before) {
    take(object, before);
    const auto kept = std::make_shared<const CsiCapacity>(object);
    capacities_[key_of(object.name_space, object.name)] = kept;
    capacities_by_class_[object.storage_class].push_back(kept);
}

void VolumeObjects::put(const VolumeAttachment& object, Before before) {
    take(object, before);
    const auto kept = std::make_shared<const VolumeAttachment>(object);
    attachments_[object.name] = kept;
    attachments_by_node_[object.node].push_back(kept);
}

void VolumeObjects::take(const VolumeClaim& claim, Before before) {
    give_back(take_out(claims_, key_of(claim.name_space, claim.name)).stated, before);
}

void VolumeObjects::take(const Volume& object, Before before) {
    const auto old = take_out(volumes_, object.name).stated;
    if (old != nullptr) {
        drop_from(volumes_by_class_, old->storage_class, old->name);
    }
    give_back(old, before);
}

void VolumeObjects::take(const StorageClass& object, Before before) {
    give_back(take_out(classes_, object.name), before);
}

void VolumeObjects::take(const CsiNode& object, Before before) { give_back(take_out(csi_nodes_, object.node), before); }

void VolumeObjects::take(const CsiDriver& object, Before before) { give_back(take_out(drivers_, object.name), before); }

void VolumeObjects::take(const CsiCapacity& object, Before before) {
    const auto old = take_out(capacities_, key_of(object.name_space, object.name));
    if (old != nullptr) {
        drop_from(capacities_by_class_, old->storage_class, old);
    }
    give_back(old, before);
}

void VolumeObjects::take(const VolumeAttachment& object, Before before) {
    const auto old = take_out(attachments_, object.name);
    if (old != nullptr) {
        drop_from(attachments_by_node_, old->node, old);
    }
    give_back(old, before);
}

VolumeObjects::Shared<VolumeClaim> VolumeObjects::claim(ClaimName name) const {
    const auto at = claims_.find(key_of(name));
    return at == claims_.end() ? nullptr : at->second.view;
}

VolumeObjects::Shared<Volume> VolumeObjects::volume(Text name) const {
    const auto at = volumes_.find(name);
    return at == volumes_.end() ? nullptr : at->second.view;
}

VolumeObjects::Shared<StorageClass> VolumeObjects::storage_class(Text name) const { return found_in(classes_, name); }
VolumeObjects::Shared<CsiNode> VolumeObjects::csi_node(Text node) const { return found_in(csi_nodes_, node); }
VolumeObjects::Shared<CsiDriver> VolumeObjects::csi_driver(Text name) const { return found_in(drivers_, name); }

std::vector<VolumeObjects::Shared<Volume>> VolumeObjects::volumes_of_class(Text storage_class) const {
    std::vector<Shared<Volume>> volumes;
    if (const auto at = volumes_by_class_.find(storage_class); at != volumes_by_class_.end()) {
        for (const Text name : at->second) {
            volumes.push_back(volume(name));
        }
    }
    return volumes;
}

std::vector<VolumeObjects::Shared<CsiCapacity>> VolumeObjects::capacities_of_class(Text storage_class) const {
    const auto at = capacities_by_class_.find(storage_class);
    return at == capacities_by_class_.end() ? std::vector<Shared<CsiCapacity>>() : at->second;
}

std::span<const VolumeObjects::Shared<VolumeAttachment>> VolumeObjects::attachments_of_node(Text node) const {
    const auto at = attachments_by_node_.find(node);
    return at == attachments_by_node_.end() ? std::span<const Shared<VolumeAttachment>>() : at->second;
}

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
}

void VolumeObjects::renew_view_of_volume(Text name) {
    const auto place = volumes_.find(name);
    if (place == volumes_.end()) {
        return;
    }
    auto& [stated, view] = place->second;
    view = stated;
    const auto assumed = assumed_claims_.find(name);
    if (assumed != assumed_claims_.end() && stated->claim == 0) {
        Volume taken = *stated;
        taken.claim_namespace = assumed->second.front().name_space;
        taken.claim = assumed->second.front().name;
        view = std::make_shared<const Volume>(std::move(taken));
    }
}

void VolumeObjects::add_pod_claims(std::span<const ClaimName> claims) {
    for (const ClaimName& claim : claims) {
        if (++claim_uses_[key_of(claim)] == 1) {
            ++use_version_;
        }
    }
}

void VolumeObjects::remove_pod_claims(std::span<const ClaimName> claims) {
    for (const ClaimName& claim : claims) {
        const auto at = claim_uses_.find(key_of(claim));
        BP_CHECK(at != claim_uses_.end());
        if (--at->second == 0) {
            claim_uses_.erase(at);
            ++use_version_;
        }
    }
}

std::uint32_t VolumeObjects::pods_using(ClaimName claim) const {
    const auto at = claim_uses_.find(key_of(claim));
    return at == claim_uses_.end() ? 0 : at->second;
}

}  // namespace bayplan
