// Objects of storage. See volume_objects.h.

#include "volumes/volume_objects.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "labels/selector.h"
#include "volumes/attached_volumes.h"
#include "volumes/node_volumes.h"

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

template <typename Lists, typename Key, typename Item>
void drop_from(Lists& lists, Key key, const Item& item) {
    const auto at = lists.find(key);
    if (at == lists.end()) {
        return;
    }
    std::erase(at->second, item);
    if (at->second.empty()) {
        lists.erase(at);
    }
}

// The keys of nodes' labels that the object looks at, which must be in use while it is there.
template <typename Each>
void for_each_node_key(const Volume& volume, Each&& each) {
    if (volume.nodes) {
        for_each_key(*volume.nodes, each);
    }
}
template <typename Each>
void for_each_node_key(const StorageClass& storage_class, Each&& each) {
    for (const TopologyTerm& term : storage_class.allowed_topologies) {
        for (const LabelRequirement& requirement : term.labels) {
            each(requirement.key);
        }
    }
}
template <typename Each>
void for_each_node_key(const CsiCapacity& capacity, Each&& each) {
    if (capacity.topology) {
        for (const LabelRequirement& requirement : capacity.topology->requirements) {
            each(requirement.key);
        }
    }
}
template <typename Object>
void use_keys(LabelledNodes& nodes, const Object& object) {
    for_each_node_key(object, [&](Text key) { nodes.use(key); });
}
template <typename Object>
void drop_keys(LabelledNodes& nodes, const std::shared_ptr<const Object>& object) {
    if (object != nullptr) {
        for_each_node_key(*object, [&](Text key) { nodes.drop(key); });
    }
}

template <typename Map, typename Key>
auto found_in(const Map& map, Key key) -> typename Map::mapped_type {
    const auto at = map.find(key);
    return at == map.end() ? nullptr : at->second;
}

}  // namespace

VolumeObjects::VolumeObjects(const TextTable& texts, const KnownTexts& known, const LabelCarriers& carriers)
    : texts_(texts),
      nodes_(texts, known, carriers),
      free_(texts, known, nodes_),
      attached_(std::make_unique<AttachedVolumes>(*this, known)) {}

VolumeObjects::~VolumeObjects() = default;

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
    take(stated, before);
    auto& place = volumes_[stated.name];
    use_keys(nodes_, stated);
    Volume sorted = stated;
    sorted.labels = sorted_by_key(std::move(sorted.labels));
    place.stated = std::make_shared<const Volume>(std::move(sorted));
    renew_view_of_volume(stated.name);
    tell_attached(stated.name);  // to whom it is lent tells drivers nothing
}

void VolumeObjects::put(const StorageClass& object, Before before) {
    use_keys(nodes_, object);
    const auto old = replace(classes_, object.name, object);
    drop_keys(nodes_, old);
    give_back(old, before);
    attached_->class_changed(object.name);
}

void VolumeObjects::put(const CsiNode& object, Before before) {
    give_back(replace(csi_nodes_, object.node, object), before);
    attached_->node_changed(object.node);
}

void VolumeObjects::put(const CsiDriver& object, Before before) {
    give_back(replace(drivers_, object.name, object), before);
}

void VolumeObjects::put(const CsiCapacity& object, Before before) {
    take(object, before);
    use_keys(nodes_, object);
    const auto kept = std::make_shared<const CsiCapacity>(object);
    capacities_[key_of(object.name_space, object.name)] = kept;
    capacities_by_class_[object.storage_class].push_back(kept);
}

void VolumeObjects::put(const VolumeAttachment& object, Before before) {
    take(object, before);
    const auto kept = std::make_shared<const VolumeAttachment>(object);
    attachments_[object.name] = kept;
    attachments_by_node_[object.node].push_back(kept);
    attachments_by_volume_[object.volume].push_back(kept);
    attached_->node_changed(object.node);
}

void VolumeObjects::take(const VolumeClaim& claim, Before before) {
    give_back(take_out(claims_, key_of(claim.name_space, claim.name)).stated, before);
    attached_->claim_changed({claim.name_space, claim.name});
}

void VolumeObjects::take(const Volume& object, Before before) {
    const auto old = take_out(volumes_, object.name);
    unindex(old.view);
    drop_keys(nodes_, old.stated);
    tell_attached(object.name);
    give_back(old.stated, before);
}

void VolumeObjects::take(const StorageClass& object, Before before) {
    const auto old = take_out(classes_, object.name);
    drop_keys(nodes_, old);
    attached_->class_changed(object.name);
    give_back(old, before);
}

void VolumeObjects::take(const CsiNode& object, Before before) {
    give_back(take_out(csi_nodes_, object.node), before);
    attached_->node_changed(object.node);
}

void VolumeObjects::take(const CsiDriver& object, Before before) { give_back(take_out(drivers_, object.name), before); }

void VolumeObjects::take(const CsiCapacity& object, Before before) {
    const auto old = take_out(capacities_, key_of(object.name_space, object.name));
    if (old != nullptr) {
        drop_from(capacities_by_class_, old->storage_class, old);
        drop_keys(nodes_, old);
    }
    give_back(old, before);
}

void VolumeObjects::take(const VolumeAttachment& object, Before before) {
    const auto old = take_out(attachments_, object.name);
    if (old != nullptr) {
        drop_from(attachments_by_node_, old->node, old);
        drop_from(attachments_by_volume_, old->volume, old);
        attached_->node_changed(old->node);
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

std::vector<VolumeObjects::Shared<Volume>> VolumeObjects::volumes_of_claim(ClaimName name) const {
    std::vector<Shared<Volume>> volumes;
    if (const auto at = volumes_by_claim_.find(key_of(name)); at != volumes_by_claim_.end()) {
        for (const Text each : at->second) {
            volumes.push_back(volume(each));
        }
    }
    std::ranges::sort(volumes, {}, [&](const Shared<Volume>& each) { return texts_.text(each->name); });
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

void VolumeObjects::tell_attached(Text volume) {
    attached_->volume_changed(volume);
    if (const auto at = attachments_by_volume_.find(volume); at != attachments_by_volume_.end()) {
        for (const auto& attachment : at->second) {
            attached_->node_changed(attachment->node);
        }
    }
}

void VolumeObjects::index(const Shared<Volume>& view) {
    if (view->claim != 0) {
        volumes_by_claim_[key_of(view->claim_namespace, view->claim)].push_back(view->name);
    }
    if (FreeVolumes::is_free(*view)) {
        free_.add(view);
    }
}

void VolumeObjects::unindex(const Shared<Volume>& view) {
    if (view == nullptr) {
        return;
    }
    if (view->claim != 0) {
        drop_from(volumes_by_claim_, key_of(view->claim_namespace, view->claim), view->name);
    }
    if (FreeVolumes::is_free(*view)) {
        free_.remove(*view);
    }
}

void VolumeObjects::set_node(Slot slot, const std::shared_ptr<const NodeFacts>& facts) {
    nodes_.set_node(slot, facts);
    free_.node_changed(slot);
    attached_->set_node(slot, facts == nullptr ? Text{0} : facts->name);
}

void VolumeObjects::add_pod(const PodSpec& spec, Slot slot) {
    attached_->add_pod(spec, slot);
    add_pod_claims(direct_claims(spec));
}

void VolumeObjects::remove_pod(const PodSpec& spec, Slot slot) {
    attached_->remove_pod(spec, slot);
    remove_pod_claims(direct_claims(spec));
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
