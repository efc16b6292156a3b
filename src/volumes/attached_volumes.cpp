// Counting volumes by node and driver; see attached_volumes.h.
#include "volumes/attached_volumes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "volumes/volume_objects.h"

namespace bayplan {

// --- which volume a claim is to a driver

void AttachedVolumes::find_in_tree(Text driver, Text handle, Known& known) const {
    const auto at = std::ranges::find(known_.migrations, driver, &KnownTexts::Migration::driver);
    if (at == known_.migrations.end() || at->counts == KnownTexts::Counts::nowhere || handle == 0) {
        return;
    }
    known.volume = {.driver = driver, .handle = handle, .claim = {}};
    known.plugin = at->counts == KnownTexts::Counts::where_annotated ? at->plugin : 0;
}

AttachedVolumes::Known AttachedVolumes::find(const UserKey& user) const {
    Known known;
    if (user.driver != 0) {
        find_in_tree(user.driver, user.handle, known);
        return known;
    }
    const auto claim = objects_.claim(user.claim);
    if (claim == nullptr) {
        return known;
    }
    known.bound_to = claim->volume;
    if (const auto volume = claim->volume != 0 ? objects_.volume(claim->volume) : nullptr; volume != nullptr) {
        if (volume->source != VolumeKind::csi) {
            find_in_tree(volume->driver, volume->handle, known);
        } else if (volume->driver != 0 && volume->handle != 0) {
            known.volume = {.driver = volume->driver, .handle = volume->handle, .claim = {}};
        }
        return known;
    }
    // Not bound, or to a volume that is gone: counts for the driver that would provision it.
    known.storage_class = claim->storage_class;
    const auto storage_class = claim->storage_class != 0 ? objects_.storage_class(claim->storage_class) : nullptr;
    if (storage_class == nullptr || storage_class->provisioner == 0) {
        return known;
    }
    Text driver = storage_class->provisioner;
    const auto at = std::ranges::find(known_.migrations, driver, &KnownTexts::Migration::plugin);
    if (at != known_.migrations.end()) {
        if (at->counts == KnownTexts::Counts::nowhere) {
            return known;
        }
        driver = at->driver;
        known.plugin = at->counts == KnownTexts::Counts::where_annotated ? at->plugin : 0;
    }
    known.volume = {.driver = driver, .handle = 0, .claim = user.claim};
    return known;
}

// --- users

void AttachedVolumes::note(const UserKey& user, const Known& known) {
    if (known.volume.driver != 0) {
        users_of_[known.volume].push_back(user);
    }
    if (known.bound_to != 0) {
        bound_to_[known.bound_to].push_back(user);
    }
    if (known.storage_class != 0) {
        of_class_[known.storage_class].insert(user);
    }
}

void AttachedVolumes::forget(const UserKey& user, const Known& known) {
    const auto drop = [&](auto& index, const auto& key) {
        const auto at = index.find(key);
        BP_CHECK(at != index.end());
        if (erase_if(at->second, [&](const UserKey& each) { return each == user; }) > 0 && at->second.empty()) {
            index.erase(at);
        }
    };
    const auto drop_one = [&](auto& index, Text key) {
        const auto at = index.find(key);
        BP_CHECK(at != index.end());
        at->second.erase(user);
        if (at->second.empty()) {
            index.erase(at);
        }
    };
    if (known.volume.driver != 0) {
        drop(users_of_, known.volume);
    }
    if (known.bound_to != 0) {
        drop(bound_to_, known.bound_to);
    }
    if (known.storage_class != 0) {
        drop_one(of_class_, known.storage_class);
    }
}

void AttachedVolumes::count_pod(const PodSpec& spec, Slot slot, int sign) {
    for (const PodVolume& volume : spec.volumes) {
        if (is_claim(volume)) {
            count({.claim = {spec.name_space, volume.name}}, slot, sign);
        } else if (volume.driver != 0 && volume.kind != VolumeKind::csi) {
            count({.claim = {}, .driver = volume.driver, .handle = volume.name}, slot, sign);
        }
    }
}

void AttachedVolumes::count(const UserKey& key, Slot slot, int sign) {
    const auto [at, fresh] = users_.try_emplace(key);
    User& user = at->second;
    if (fresh) {
        user.known = find(key);
        note(key, user.known);
    }
    auto place = std::ranges::find(user.places, slot, &Place::slot);
    if (place == user.places.end()) {
        place = user.places.insert(place, {slot, 0});
    }
    place->uses += static_cast<std::uint32_t>(sign);
    if (place->uses == 0) {
        *place = user.places.back();
        user.places.pop_back();
    }
    hold(slot, user.known, sign, 0);
    if (user.places.empty()) {
        forget(key, user.known);
        users_.erase(at);
    }
}

void AttachedVolumes::renew(const UserKey& key) {
    const auto at = users_.find(key);
    if (at == users_.end()) {
        return;
    }
    User& user = at->second;
    const Known known = find(key);
    for (const Place& place : user.places) {
        hold(place.slot, user.known, -std::int64_t{place.uses}, 0);
        hold(place.slot, known, place.uses, 0);
    }
    forget(key, user.known);
    note(key, known);
    user.known = known;
}

template <typename Keys>
void AttachedVolumes::renew_all(const Keys& keys) {
    for (const UserKey& key : std::vector<UserKey>(keys.begin(), keys.end())) {
        renew(key);
    }
}

void AttachedVolumes::claim_changed(ClaimName claim) { renew({.claim = claim}); }

void AttachedVolumes::volume_changed(Text name) {
    if (const auto at = bound_to_.find(name); at != bound_to_.end()) {
        renew_all(at->second);
    }
}

void AttachedVolumes::class_changed(Text name) {
    if (const auto at = of_class_.find(name); at != of_class_.end()) {
        renew_all(at->second);
    }
}

// --- nodes

void AttachedVolumes::set_node(Slot slot, Text name) {
    nodes_.resize(std::max<std::size_t>(nodes_.size(), raw(slot) + 1));
    Node& node = nodes_[raw(slot)];
    if (node.name == name) {
        return;
    }
    names_.erase(node.name);
    node.name = name;
    if (name != 0) {
        names_[name] = slot;
    }
    renew_node(slot);
}

void AttachedVolumes::node_changed(Text name) {
    if (const auto at = names_.find(name); at != names_.end()) {
        renew_node(at->second);
    }
}

void AttachedVolumes::renew_node(Slot slot) {
    Node& node = nodes_[raw(slot)];
    std::vector<Text> drivers;
    for (const Limit& limit : std::exchange(node.limits, {})) {
        drivers.push_back(limit.driver);
    }
    for (Held& held : node.held) {
        held.attachments = 0;
    }
    for (const auto& attachment : objects_.attachments_of_node(node.name)) {
        const auto volume = objects_.volume(attachment->volume);
        if (attachment->attacher != 0 && volume != nullptr && volume->source == VolumeKind::csi) {
            hold(slot, {.volume = {.driver = attachment->attacher, .handle = volume->handle, .claim = {}}}, 0, +1);
        }
    }
    std::erase_if(node.held, [](const Held& held) { return held.uses == 0 && held.attachments == 0; });
    if (const auto csi_node = objects_.csi_node(node.name)) {
        for (const CsiNodeDriver& driver : csi_node->drivers) {  // of several entries of a driver the first counts
            if (std::ranges::find(node.limits, driver.driver, &Limit::driver) == node.limits.end()) {
                node.limits.push_back({driver.driver, driver.count ? std::int64_t{*driver.count} : kNoLimit});
            }
        }
    }
    for (const Limit& limit : node.limits) {
        drivers.push_back(limit.driver);
    }
    for (const Text driver : drivers) {
        recount(slot, driver);
    }
}

void AttachedVolumes::hold(Slot slot, const Known& known, std::int64_t uses, std::int64_t attachments) {
    if (known.volume.driver == 0) {
        return;
    }
    nodes_.resize(std::max<std::size_t>(nodes_.size(), raw(slot) + 1));
    std::vector<Held>& all = nodes_[raw(slot)].held;
    auto at = std::ranges::find_if(
        all, [&](const Held& held) { return held.volume == known.volume && held.plugin == known.plugin; });
    if (at == all.end()) {
        at = all.insert(at, {.volume = known.volume, .plugin = known.plugin});
    }
    at->uses += static_cast<std::uint32_t>(uses);
    at->attachments += static_cast<std::uint32_t>(attachments);
    if (at->uses == 0 && at->attachments == 0) {
        *at = all.back();
        all.pop_back();
    }
    recount(slot, known.volume.driver);
}

bool AttachedVolumes::counts(const Node& node, Text plugin) const {
    if (plugin == 0) {
        return true;
    }
    const auto csi_node = objects_.csi_node(node.name);
    return csi_node != nullptr && std::ranges::find(csi_node->migrated, plugin) != csi_node->migrated.end();
}

std::int64_t AttachedVolumes::count_of(const Node& node, Text driver) const {
    std::int64_t count = 0;
    for (const Held& held : node.held) {
        if (held.volume.driver != driver || !counts(node, held.plugin)) {
            continue;
        }
        const bool twice = held.plugin != 0 && std::ranges::any_of(node.held, [&](const Held& other) {
                               return other.plugin == 0 && other.volume == held.volume;
                           });
        count += twice ? 0 : 1;
    }
    return count;
}

std::int64_t AttachedVolumes::room_at(const Node& node, Text driver) const {
    const auto limit = std::ranges::find(node.limits, driver, &Limit::driver);
    return limit == node.limits.end() || limit->most == kNoLimit ? kNoLimit : limit->most - count_of(node, driver);
}

void AttachedVolumes::recount(Slot slot, Text driver) {
    const Node& node = nodes_[raw(slot)];
    const std::int64_t room = room_at(node, driver);
    const auto of_driver = below_.find(driver);
    if (room >= static_cast<std::int64_t>(kToldApart) && of_driver == below_.end()) {
        return;
    }
    auto& blocks = of_driver == below_.end() ? below_[driver] : of_driver->second;
    Below& below = blocks[block_of(slot)];
    std::uint64_t any = 0;
    for (std::size_t more = 0; more < kToldApart; ++more) {
        const bool is_below = room < static_cast<std::int64_t>(more) + 1;
        below[more] = is_below ? below[more] | bit_of(slot) : below[more] & ~bit_of(slot);
        any |= below[more];
    }
    if (any == 0) {
        blocks.erase(block_of(slot));
        if (blocks.empty()) {
            below_.erase(driver);
        }
    }
}

// --- judging

// None of the volumes hangs on annotations. A volume that pods have there already is free of charge.
bool AttachedVolumes::has_room(Slot slot, std::span<const DriverVolume> wanted) const {
    const Node& node = nodes_[raw(slot)];
    const auto is_new = [&](const DriverVolume& volume) {
        return std::ranges::none_of(node.held, [&](const Held& held) {
            return held.uses > 0 && held.volume == volume && counts(node, held.plugin);
        });
    };
    return std::ranges::all_of(wanted, [&](const DriverVolume& volume) {
        if (!is_new(volume)) {
            return true;
        }
        const auto more = std::ranges::count_if(
            wanted, [&](const DriverVolume& other) { return other.driver == volume.driver && is_new(other); });
        return more <= room_at(node, volume.driver);
    });
}

bool AttachedVolumes::narrow(std::span<const ClaimName> claims, std::span<const PodVolume> in_tree,
                             NodeMask& mask) const {
    std::vector<DriverVolume> wanted;
    bool told = true;
    const auto want = [&](const Known& known) {
        told = told && known.plugin == 0;
        if (known.volume.driver != 0 && std::ranges::find(wanted, known.volume) == wanted.end()) {
            wanted.push_back(known.volume);
        }
    };
    for (const ClaimName claim : claims) {
        want(find({.claim = claim}));
    }
    for (const PodVolume& volume : in_tree) {
        want(find({.claim = {}, .driver = volume.driver, .handle = volume.name}));
    }
    if (!told) {
        return false;
    }
    const NodeMask before = mask;
    for (const DriverVolume& volume : wanted) {
        const auto of_driver = below_.find(volume.driver);
        if (of_driver == below_.end()) {
            continue;
        }
        const auto more = static_cast<std::size_t>(std::ranges::count(wanted, volume.driver, &DriverVolume::driver));
        told = told && more <= kToldApart;
        for (const auto& [block, below] : of_driver->second) {
            if (block < mask.size()) {
                mask[block] &= ~below[std::min(more, kToldApart) - 1];
            }
        }
    }
    for (const DriverVolume& volume : wanted) {
        const auto users = users_of_.find(volume);
        if (users == users_of_.end()) {
            continue;
        }
        for (const UserKey& key : users->second) {
            for (const Place& place : users_.at(key).places) {
                const std::uint32_t block = block_of(place.slot);
                const bool out = block < mask.size() && (before[block] & ~mask[block] & bit_of(place.slot)) != 0;
                if (out && has_room(place.slot, wanted)) {
                    mask[block] |= bit_of(place.slot);
                }
            }
        }
    }
    return told;
}

}  // namespace bayplan
