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
        users_of_[known.volume][user] = {};
    }
    if (known.bound_to != 0) {
        bound_to_[known.bound_to][user] = {};
    }
    if (known.storage_class != 0) {
        of_class_[known.storage_class][user] = {};
    }
}

void AttachedVolumes::forget(const UserKey& user, const Known& known) {
    const auto drop = [&](auto& index, const auto& key) {
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
        drop(of_class_, known.storage_class);
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
    const auto [at, fresh] = users_.emplace(key, {});
    User& user = at->second;
    if (fresh) {
        user.known = find(key);
        note(key, user.known);
    }
    std::uint32_t& uses = user.places[slot];
    uses += static_cast<std::uint32_t>(sign);
    if (uses == 0) {
        user.places.erase(slot);
    }
    hold(slot, user.known, sign);
    if (user.places.empty()) {
        forget(key, user.known);
        users_.erase(at);
    }
}

void AttachedVolumes::renew(const UserKey& key) {
    User* const user = users_.value_of(key);
    if (user == nullptr) {
        return;
    }
    const Known known = find(key);
    user->places.for_each([&](Slot slot, std::uint32_t uses) {
        hold(slot, user->known, -std::int64_t{uses});
        hold(slot, known, uses);
    });
    forget(key, user->known);
    note(key, known);
    user->known = known;
}

void AttachedVolumes::renew_all(const Users& users) {
    std::vector<UserKey> keys;
    users.for_each([&](const UserKey& key, Here) { keys.push_back(key); });
    std::ranges::for_each(keys, [&](const UserKey& key) { renew(key); });
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
    node.held.for_each([](const DriverVolume&, Held& held) { held.attachments = 0; });
    for (const auto& attachment : objects_.attachments_of_node(node.name)) {
        const auto volume = objects_.volume(attachment->volume);
        if (attachment->attacher != 0 && volume != nullptr && volume->source == VolumeKind::csi) {
            ++node.held[{.driver = attachment->attacher, .handle = volume->handle, .claim = {}}].attachments;
        }
    }
    count_held(node);
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

// From nothing: an annotation may have changed. Volumes that nothing holds any more are forgotten.
void AttachedVolumes::count_held(Node& node) {
    node.counted = {};
    std::vector<DriverVolume> gone;
    node.held.for_each([&](const DriverVolume& volume, const Held& held) {
        if (held.empty()) {
            gone.push_back(volume);
        } else if (counts(node, held)) {
            ++node.counted[volume.driver];
        }
    });
    std::ranges::for_each(gone, [&](const DriverVolume& volume) { node.held.erase(volume); });
}

void AttachedVolumes::hold(Slot slot, const Known& known, std::int64_t uses) {
    if (known.volume.driver == 0) {
        return;
    }
    nodes_.resize(std::max<std::size_t>(nodes_.size(), raw(slot) + 1));
    Node& node = nodes_[raw(slot)];
    Held& held = node.held[known.volume];
    const bool counted = counts(node, held);
    (known.plugin == 0 ? held.uses : held.annotated) += static_cast<std::uint32_t>(uses);
    held.plugin = known.plugin == 0 ? held.plugin : known.plugin;  // a driver has one
    const bool counts_now = counts(node, held);
    if (held.empty()) {
        node.held.erase(known.volume);
    }
    if (counted == counts_now) {
        return;
    }
    std::uint32_t& count = node.counted[known.volume.driver];
    count += counts_now ? 1 : 0;
    count -= counted ? 1 : 0;
    if (count == 0) {
        node.counted.erase(known.volume.driver);
    }
    recount(slot, known.volume.driver);
}

bool AttachedVolumes::has_annotation(const Node& node, Text plugin) const {
    const auto csi_node = objects_.csi_node(node.name);
    return csi_node != nullptr && std::ranges::find(csi_node->migrated, plugin) != csi_node->migrated.end();
}

bool AttachedVolumes::is_used(const Node& node, const Held& held) const {
    return held.uses > 0 || (held.annotated > 0 && has_annotation(node, held.plugin));
}

std::int64_t AttachedVolumes::room_at(const Node& node, Text driver) const {
    const auto limit = std::ranges::find(node.limits, driver, &Limit::driver);
    if (limit == node.limits.end() || limit->most == kNoLimit) {
        return kNoLimit;
    }
    const std::uint32_t* const count = node.counted.find(driver);
    return limit->most - (count == nullptr ? 0 : *count);
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
        const Held* const held = node.held.find(volume);
        return held == nullptr || !is_used(node, *held);
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
        const Users* const users = users_of_.value_of(volume);
        if (users == nullptr) {
            continue;
        }
        users->for_each([&](const UserKey& key, Here) {
            users_.at(key).places.for_each([&](Slot slot, std::uint32_t) {
                const std::uint32_t block = block_of(slot);
                const bool out = block < mask.size() && (before[block] & ~mask[block] & bit_of(slot)) != 0;
                if (out && has_room(slot, wanted)) {
                    mask[block] |= bit_of(slot);
                }
            });
        });
    }
    return told;
}

}  // namespace bayplan
