// Tables of slices, classes and claims, and the devices in use. See claim_objects.h.
#include "claims/claim_objects.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/container_hash/hash.hpp>

#include "base/check.h"

namespace bayplan {

std::size_t hash_value(const PoolName& name) {
    std::size_t seed = 0;
    boost::hash_combine(seed, name.driver);
    boost::hash_combine(seed, name.pool);
    return seed;
}

std::size_t hash_value(const DeviceName& name) {
    std::size_t seed = hash_value(name.pool);
    boost::hash_combine(seed, name.device);
    return seed;
}

namespace {

const ClaimObjects::Slices kNoSlices;
constexpr std::size_t kKindsMost = 1 << 16;

template <typename Lists, typename Key>
void drop_from(Lists& lists, const Key& key, const ClaimObjects::Slice& slice) {
    const auto at = lists.find(key);
    if (at == lists.end()) {
        return;
    }
    std::erase(at->second, slice);
    if (at->second.empty()) {
        lists.erase(at);
    }
}

bool any_name_twice(const std::vector<SliceDevice>& devices) {
    std::vector<Text> names;
    for (const SliceDevice& device : devices) {
        names.push_back(device.name);
    }
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) != names.end();
}

}  // namespace

// --- slices

bool ClaimObjects::before(const Slice& a, const Slice& b) const {
    const auto key = [&](const Slice& one) {
        return std::tuple(texts_.text(one->slice.driver), texts_.text(one->slice.pool), texts_.text(one->slice.name));
    };
    return key(a) < key(b);
}

void ClaimObjects::insert(Slices& list, const Slice& slice) {
    list.insert(std::ranges::upper_bound(list, slice, [&](const Slice& a, const Slice& b) { return before(a, b); }),
                slice);
}

ClaimObjects::Slices* ClaimObjects::list_of(const ResourceSlice& slice) {
    if (slice.hidden) {
        return nullptr;
    }
    switch (slice.reach) {
        case SliceReach::nowhere: return nullptr;
        case SliceReach::node: return &by_node_[slice.node];
        case SliceReach::selected_nodes: return &selected_;
        case SliceReach::all_nodes: return &everywhere_;
    }
    return nullptr;
}

std::size_t ClaimObjects::crowd_of(const ResourceSlice& slice) const {
    const auto before = slices_.find(slice.name);
    const auto others_of = [&](const Slices& list) {
        const bool there = before != slices_.end() && std::ranges::find(list, before->second) != list.end();
        return list.size() - (there ? 1 : 0);
    };
    std::size_t crowd = others_of(pool({slice.driver, slice.pool}));
    if (!slice.hidden && slice.reach == SliceReach::node) {
        crowd = std::max(crowd, others_of(on_node(slice.node)));
    } else if (!slice.hidden && slice.reach != SliceReach::nowhere) {
        crowd = std::max(crowd, others_of(slice.reach == SliceReach::all_nodes ? everywhere_ : selected_));
    }
    return crowd;
}

std::uint32_t ClaimObjects::kind_of(const ResourceSlice& slice, const SliceDevice& device) {
    std::string content;
    const auto add = [&](std::uint64_t number) {
        content.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    const auto add_text = [&](Text text) {
        add(texts_.text(text).size());
        content += texts_.text(text);
    };
    add_text(slice.driver);
    add(device.withheld ? 1 : 0);
    add(device.attributes.size());
    for (const DeviceAttribute& one : device.attributes) {
        add_text(one.name);
        add(static_cast<std::uint64_t>(one.type));
        add_text(one.text);
        add(static_cast<std::uint64_t>(one.number));
    }
    for (const DeviceCapacity& one : device.capacities) {
        add_text(one.name);
        add_text(one.quantity);
    }
    if (kinds_.size() >= kKindsMost) {
        kinds_.clear();
    }
    const auto [at, fresh] = kinds_.try_emplace(std::move(content), last_kind_ + 1);
    last_kind_ += fresh ? 1 : 0;
    return at->second;
}

void ClaimObjects::apply(const ResourceSlice& slice) {
    drop_slice(slice.name);
    auto kept = std::make_shared<KeptSlice>();
    kept->slice = slice;
    for (const SliceDevice& device : slice.devices) {
        kept->kinds.push_back(kind_of(slice, device));
    }
    kept->names_repeat = any_name_twice(slice.devices);
    slices_.emplace(slice.name, kept);
    insert(by_pool_[kept->pool()], kept);
    if (Slices* const list = list_of(slice)) {
        insert(*list, kept);
    }
    pool_changed(kept->pool());
    errors_.changed(slice.name);
    ++version_;
}

void ClaimObjects::drop_slice(Text name) {
    const auto found = slices_.find(name);
    if (found == slices_.end()) {
        return;
    }
    const Slice slice = found->second;
    pool_changed(slice->pool());
    slices_.erase(found);
    drop_from(by_pool_, slice->pool(), slice);
    drop_from(by_node_, slice->slice.node, slice);
    std::erase(everywhere_, slice);
    std::erase(selected_, slice);
    errors_.changed(name);
    ++version_;
}

void ClaimObjects::remove(const ResourceSlice& slice) { drop_slice(slice.name); }

const ClaimObjects::Slices& ClaimObjects::on_node(Text node) const {
    const auto found = by_node_.find(node);
    return found == by_node_.end() ? kNoSlices : found->second;
}

const ClaimObjects::Slices& ClaimObjects::pool(PoolName name) const {
    const auto found = by_pool_.find(name);
    return found == by_pool_.end() ? kNoSlices : found->second;
}

// --- nodes

void ClaimObjects::set_node(Slot slot, Text name) {
    if (raw(slot) >= names_.size()) {
        names_.resize(raw(slot) + std::size_t{1}, 0);
    }
    if (names_[raw(slot)] != 0) {
        slots_.erase(names_[raw(slot)]);
    }
    names_[raw(slot)] = name;
    if (name != 0) {
        slots_[name] = slot;
    }
    shapes_.changes().changed(slot);
}

// Nodes that see the pool, or see that it is not whole.
void ClaimObjects::pool_changed(PoolName name) {
    constexpr std::size_t kFew = 64;
    const Slices& slices = pool(name);
    if (slices.size() > kFew) {
        shapes_.changes().changed_everywhere();
        return;
    }
    for (const Slice& slice : slices) {
        if (slice->slice.reach == SliceReach::node) {
            if (const auto at = slots_.find(slice->slice.node); at != slots_.end()) {
                shapes_.changes().changed(at->second);
            }
        } else if (slice->slice.reach != SliceReach::nowhere) {
            shapes_.changes().changed_everywhere();
        }
    }
}

// --- classes

void ClaimObjects::apply(const DeviceClass& device_class) {
    classes_.insert_or_assign(device_class.name, std::make_shared<const DeviceClass>(device_class));
    ++version_;
}

void ClaimObjects::remove(const DeviceClass& device_class) {
    classes_.erase(device_class.name);
    ++version_;
}

std::vector<Text> ClaimObjects::kinds_of_classes() const {
    std::vector<Text> kinds;
    for (const auto& [name, one] : classes_) {
        kinds.insert(kinds.end(), one->kinds.begin(), one->kinds.end());
    }
    std::ranges::sort(kinds);
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    return kinds;
}

std::shared_ptr<const DeviceClass> ClaimObjects::device_class(Text name) const {
    const auto found = classes_.find(name);
    return found == classes_.end() ? nullptr : found->second;
}

// --- claims

std::shared_ptr<const ResourceClaim> ClaimObjects::claim(ResourceClaimName name) const {
    const auto found = claims_.find(key_of(name));
    return found == claims_.end() ? nullptr : found->second.view;
}

void ClaimObjects::apply(const ResourceClaim& claim) {
    const Key key = key_of({claim.name_space, claim.name});
    KeptClaim& kept = claims_[key];
    // The same once more may be from before the cluster manager was told to give it back.
    kept.given_back = kept.given_back && kept.stated != nullptr && *kept.stated == claim;
    kept.stated = std::make_shared<const ResourceClaim>(claim);
    renew(key);
}

void ClaimObjects::remove(const ResourceClaim& claim) {
    const Key key = key_of({claim.name_space, claim.name});
    if (const auto found = claims_.find(key); found != claims_.end()) {
        found->second.stated = nullptr;
        found->second.given_back = false;
        renew(key);
    }
}

void ClaimObjects::count(const std::shared_ptr<const ResourceClaim>& claim, int sign) {
    if (claim == nullptr || !claim->allocation) {
        return;
    }
    for (const AllocatedDevice& one : claim->allocation->devices) {
        if (one.admin_access) {
            continue;
        }
        const DeviceName device{{one.driver, one.pool}, one.device};
        pool_changed(device.pool);
        if (sign > 0) {
            ++in_use_[device];
        } else if (const auto at = in_use_.find(device); --at->second == 0) {
            in_use_.erase(at);
        }
    }
}

// The claim as it is seen, from its object and the assumptions. A claim that is gone has its devices no more.
void ClaimObjects::renew(Key key) {
    KeptClaim& kept = claims_[key];
    count(kept.view, -1);
    kept.view = kept.stated;
    if (kept.stated != nullptr && (kept.given_back || !kept.uses.empty())) {
        auto view = std::make_shared<ResourceClaim>(*kept.stated);
        if (kept.given_back) {
            view->allocation.reset();
            view->reserved_for.clear();
        }
        if (!view->allocation && !kept.uses.empty()) {
            view->allocation = *kept.uses.front().use.allocation;
        }
        for (const OwnedUse& one : kept.uses) {
            view->reserved_for.push_back(one.use.pod_uid);
        }
        kept.view = std::move(view);
    }
    count(kept.view, +1);
    if (kept.stated == nullptr && kept.uses.empty()) {
        claims_.erase(key);
    }
    ++version_;
}

void ClaimObjects::assume(std::uint32_t owner, std::span<const ClaimUse> uses) {
    for (const ClaimUse& use : uses) {
        const Key key = key_of(use.claim);
        claims_[key].uses.push_back({owner, use});
        renew(key);
    }
}

void ClaimObjects::unassume(std::uint32_t owner, std::span<const ClaimUse> uses) {
    for (std::size_t at = uses.size(); at-- > 0;) {
        const Key key = key_of(uses[at].claim);
        BP_CHECK_OP(claims_[key].uses.back().owner, ==, owner);
        claims_[key].uses.pop_back();
        renew(key);
    }
}

std::vector<std::size_t> ClaimObjects::forget(std::uint32_t owner, std::span<const ClaimUse> uses) {
    std::vector<std::size_t> stood;
    for (const ClaimUse& use : uses) {
        const Key key = key_of(use.claim);
        std::vector<OwnedUse>& list = claims_[key].uses;
        const auto found = std::ranges::find_if(list, [&](const OwnedUse& one) { return one.owner == owner; });
        BP_CHECK(found != list.end());
        stood.push_back(static_cast<std::size_t>(found - list.begin()));
        list.erase(found);
        renew(key);
    }
    return stood;
}

void ClaimObjects::assume_again(std::uint32_t owner, std::span<const ClaimUse> uses,
                                std::span<const std::size_t> stood) {
    for (std::size_t at = uses.size(); at-- > 0;) {
        const Key key = key_of(uses[at].claim);
        std::vector<OwnedUse>& list = claims_[key].uses;
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(stood[at]), {owner, uses[at]});
        renew(key);
    }
}

// --- giving back

bool ClaimObjects::used_by_placed_pods(ResourceClaimName claim) const {
    const auto found = claims_.find(key_of(claim));
    return found != claims_.end() && !found->second.uses.empty();
}

bool ClaimObjects::give_back(ResourceClaimName claim) {
    const auto found = claims_.find(key_of(claim));
    BP_CHECK(found != claims_.end() && found->second.uses.empty());
    const bool fresh = !found->second.given_back;
    found->second.given_back = true;
    renew(found->first);
    return fresh;
}

void ClaimObjects::take_again(ResourceClaimName claim) {
    const auto found = claims_.find(key_of(claim));
    BP_CHECK(found != claims_.end() && found->second.given_back);
    found->second.given_back = false;
    renew(found->first);
}

}  // namespace bayplan
