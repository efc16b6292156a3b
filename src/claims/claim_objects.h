// Slices of devices, classes of devices and claims: what the cluster manager has said of them, and what placements have
// taken since.
//
// A placement allocates the claims of its pod: from then on a claim is seen with the devices that it got, and as
// reserved for that pod, unless the cluster manager states an allocation of its own, which takes precedence.
//
// Thread: the engine's. Objects are immutable and shared. Texts are ids of the engine's table; no references of them are
// held here (the caller holds them as long as the object, or the assumption, is here).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/text_table.h"
#include "bayplan/resource_claims.h"
#include "claims/claim_shapes.h"
#include "claims/device_selectors.h"
#include "claims/selector_errors.h"

namespace bayplan {

struct ResourceClaimName {
    Text name_space = 0;
    Text name = 0;
    bool operator==(const ResourceClaimName&) const = default;
};

struct PoolName {
    Text driver = 0;
    Text pool = 0;
    bool operator==(const PoolName&) const = default;
};

struct DeviceName {
    PoolName pool;
    Text device = 0;
    bool operator==(const DeviceName&) const = default;
};
std::size_t hash_value(const PoolName&);
std::size_t hash_value(const DeviceName&);

// A pod on a node uses the claim, with these devices.
struct ClaimUse {
    ResourceClaimName claim;
    Text pod_uid = 0;
    std::shared_ptr<const DeviceAllocation> allocation;
    bool allocates = false;  // the claim had none before
};

// Of one pod: what it uses, and how its decision tells so (R-CLAIM-20).
struct ClaimsOfPod {
    std::vector<ClaimUse> uses;
    std::string devices;
};

// A slice, with what selectors say of its devices.
struct KeptSlice {
    ResourceSlice slice;
    // By device: devices alike have the same number. Alike: the driver, the attributes and the capacities are equal.
    std::vector<std::uint32_t> kinds;
    bool names_repeat = false;
    mutable DeviceVerdicts verdicts;

    PoolName pool() const { return {slice.driver, slice.pool}; }
};

class ClaimObjects {
public:
    using Slice = std::shared_ptr<const KeptSlice>;
    using Slices = std::vector<Slice>;

    explicit ClaimObjects(const TextTable& texts) : texts_(texts) {}

    void apply(const ResourceSlice&);
    void apply(const DeviceClass&);
    void apply(const ResourceClaim&);
    // Only the names count. Fine if it is not there.
    void remove(const ResourceSlice&);
    void remove(const DeviceClass&);
    void remove(const ResourceClaim&);

    // The most slices that are together with one of this pool and reach, were it stated: each costs it a step.
    std::size_t crowd_of(const ResourceSlice&) const;

    // Null if nobody stated it. A claim is seen with what placements assumed of it.
    std::shared_ptr<const ResourceClaim> claim(ResourceClaimName) const;
    std::shared_ptr<const DeviceClass> device_class(Text name) const;
    // For which devices of some class stand; each once.
    std::vector<Text> kinds_of_classes() const;

    // Sorted by driver, pool and name, in byte order. Of hidden slices none but in pool().
    const Slices& on_node(Text node) const;
    const Slices& on_all_nodes() const { return everywhere_; }
    const Slices& on_selected_nodes() const { return selected_; }
    const Slices& pool(PoolName) const;

    // A claim that is not for administrators has it.
    bool in_use(DeviceName device) const { return in_use_.contains(device); }

    // The node of the slot has this name now; 0: it goes. Its labels may be others, too.
    void set_node(Slot, Text name);
    // Findings of searches on nodes; forgotten when devices, slices or the node change.
    ClaimShapes& shapes() { return shapes_; }
    const ClaimShapes& shapes() const { return shapes_; }

    // The selector ends in an error on some device of some slice.
    bool errs_somewhere(const std::shared_ptr<const DeviceSelector>& selector) {
        return errors_.any(selector, slices_);
    }

    // --- placements (deltas of a transaction)
    void assume(std::uint32_t owner, std::span<const ClaimUse>);
    // Undoes assume() of just these, nothing having been assumed or forgotten since.
    void unassume(std::uint32_t owner, std::span<const ClaimUse>);
    // The pod is gone. Returns where each use stood among its claim's.
    std::vector<std::size_t> forget(std::uint32_t owner, std::span<const ClaimUse>);
    // Undoes forget() of just these, nothing having been assumed or forgotten since.
    void assume_again(std::uint32_t owner, std::span<const ClaimUse>, std::span<const std::size_t>);

    // --- giving back (deltas likewise). Of a claim that no placed pod uses; no allocation that its object states counts any
    // more, nor does a reservation, until another object is stated or this one removed. False: it is given back already.
    bool give_back(ResourceClaimName);
    // Undoes it, nothing having been assumed, forgotten or stated since.
    void take_again(ResourceClaimName);
    bool used_by_placed_pods(ResourceClaimName) const;

    // Grows with every change.
    std::uint64_t version() const { return version_; }

    const TextTable& texts() const { return texts_; }
    DeviceSelectors& selectors() { return selectors_; }

private:
    struct OwnedUse {
        std::uint32_t owner = 0;
        ClaimUse use;
    };
    struct KeptClaim {
        std::shared_ptr<const ResourceClaim> stated;
        std::shared_ptr<const ResourceClaim> view;  // as it is seen; `stated` itself if nothing differs
        std::vector<OwnedUse> uses;
        bool given_back = false;
    };
    using Key = std::uint64_t;
    static Key key_of(ResourceClaimName claim) { return Key{claim.name_space} << 32 | claim.name; }

    bool before(const Slice&, const Slice&) const;
    void insert(Slices&, const Slice&);
    Slices* list_of(const ResourceSlice&);
    void drop_slice(Text name);
    std::uint32_t kind_of(const ResourceSlice&, const SliceDevice&);
    KeptClaim& kept(ResourceClaimName);
    void renew(Key);
    void count(const std::shared_ptr<const ResourceClaim>&, int sign);
    void pool_changed(PoolName);

    const TextTable& texts_;
    DeviceSelectors selectors_{texts_};
    SliceTable slices_;
    SelectorErrors errors_{texts_};
    boost::unordered_flat_map<Text, Slices> by_node_;
    boost::unordered_flat_map<PoolName, Slices> by_pool_;
    Slices everywhere_;
    Slices selected_;
    boost::unordered_flat_map<std::string, std::uint32_t> kinds_;  // by contents; forgotten when there are many
    std::uint32_t last_kind_ = 0;
    boost::unordered_flat_map<Text, std::shared_ptr<const DeviceClass>> classes_;
    boost::unordered_flat_map<Key, KeptClaim> claims_;
    boost::unordered_flat_map<DeviceName, std::uint32_t> in_use_;
    ClaimShapes shapes_;
    std::vector<Text> names_;  // of nodes, by slot
    boost::unordered_flat_map<Text, Slot> slots_;
    std::uint64_t version_ = 1;
};

}  // namespace bayplan
