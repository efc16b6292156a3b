// Volumes that pods and attachments have on each node, as NodeVolumeLimits counts them: each volume once per node and
// driver. Counted as pods and objects come and go, so that a limit is judged 64 nodes at a time.
//
//   user     a claim, or an in-tree volume that pods name: which volume it is to a driver, and on which nodes
//   held     of a node: volumes with the number of uses
//   counted  of a node: how many of these count, by driver
//   below    of a driver, by block: nodes with room for fewer than 1, 2, 3, 4 more
//
// Thread: the engine's changes it; others may read while nobody does. Texts are of objects that are there: VolumeObjects
// tells of each change before they may go.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/few_or_many.h"
#include "base/field_hash.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "bayplan/cluster_object.h"
#include "cluster/node_mask.h"
#include "labels/known_texts.h"
#include "volumes/claim_name.h"

namespace bayplan {

class VolumeObjects;

// A volume as a CSI driver knows it: by its handle, or while it has none by its claim.
struct DriverVolume {
    Text driver = 0;
    Text handle = 0;
    ClaimName claim;
    bool operator==(const DriverVolume&) const = default;
};

class AttachedVolumes {
public:
    AttachedVolumes(const VolumeObjects& objects, const KnownTexts& known) : objects_(objects), known_(known) {}

    // The name of the slot's node; 0: there is none.
    void set_node(Slot, Text name);
    void add_pod(const PodSpec& spec, Slot slot) { count_pod(spec, slot, +1); }
    void remove_pod(const PodSpec& spec, Slot slot) { count_pod(spec, slot, -1); }

    // The objects have the change already.
    void claim_changed(ClaimName);
    void volume_changed(Text);
    void class_changed(Text);
    void node_changed(Text name);  // its CSINode, or its attachments

    // Takes out the nodes whose limits leave no room for the pod's volumes. False: some must be judged one by one.
    bool narrow(std::span<const ClaimName> claims, std::span<const PodVolume> in_tree, NodeMask&) const;

private:
    struct UserKey {
        ClaimName claim;
        Text driver = 0;  // of an in-tree volume, without a claim
        Text handle = 0;
        bool operator==(const UserKey&) const = default;
    };
    // A user as drivers know it; driver 0: nothing that counts.
    struct Known {
        DriverVolume volume;
        Text plugin = 0;  // counts only where a node's annotation names it
        // Found from these.
        Text bound_to = 0;
        Text storage_class = 0;
    };
    struct Held {
        std::uint32_t uses = 0;         // by pods
        std::uint32_t attachments = 0;  // VolumeAttachments
        std::uint32_t annotated = 0;    // uses by pods that count only where the annotation names the plugin
        Text plugin = 0;                // of these
        bool empty() const { return uses == 0 && attachments == 0 && annotated == 0; }
    };
    struct Limit {
        Text driver = 0;
        std::int64_t most = 0;
    };

    struct User {
        Known known;
        FewOrMany<Slot, std::uint32_t, NumberHash> places;  // uses by slot
    };
    struct Here {};
    using Users = FewOrMany<UserKey, Here, FieldHash>;
    struct Node {
        Text name = 0;
        FewOrMany<DriverVolume, Held, FieldHash> held;
        FewOrMany<Text, std::uint32_t, NumberHash> counted;
        std::vector<Limit> limits;
    };
    static constexpr std::int64_t kNoLimit = INT64_MAX;
    static constexpr std::size_t kToldApart = 4;
    using Below = std::array<std::uint64_t, kToldApart>;

    Known find(const UserKey&) const;
    void find_in_tree(Text driver, Text handle, Known&) const;
    void count_pod(const PodSpec&, Slot, int sign);
    void count(const UserKey&, Slot, int sign);
    void note(const UserKey&, const Known&);
    void forget(const UserKey&, const Known&);
    void renew(const UserKey&);
    void renew_all(const Users&);
    void hold(Slot, const Known&, std::int64_t uses);
    void count_held(Node&);
    void renew_node(Slot);
    std::int64_t room_at(const Node&, Text driver) const;
    void recount(Slot, Text driver);
    bool has_annotation(const Node&, Text plugin) const;
    bool is_used(const Node&, const Held&) const;
    bool counts(const Node& node, const Held& held) const { return held.attachments > 0 || is_used(node, held); }
    bool has_room(Slot, std::span<const DriverVolume> wanted) const;

    const VolumeObjects& objects_;
    const KnownTexts& known_;
    std::vector<Node> nodes_;  // by slot
    boost::unordered_flat_map<Text, Slot> names_;
    SplitMap<UserKey, User, FieldHash> users_;
    SplitMap<DriverVolume, Users, FieldHash> users_of_;  // mostly one, as in the next
    SplitMap<Text, Users, NumberHash> bound_to_;
    boost::unordered_flat_map<Text, Users> of_class_;
    boost::unordered_flat_map<Text, boost::unordered_flat_map<std::uint32_t, Below>> below_;
};

}  // namespace bayplan
