// Claims, volumes, storage classes, CSI nodes, drivers, capacities and attachments: what the cluster manager
// has said of storage, and what placements have taken of it since.
//
// Thread: the engine's changes it; others may read while nobody does. Objects are immutable and shared: a
// plan that was made from them keeps them alive. Texts are ids of the engine's table; no references of them
// are held here: apply and remove give back what was there before, so that the caller releases its texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "bayplan/cluster_object.h"
#include "volumes/claim_name.h"
#include "volumes/free_volumes.h"
#include "volumes/labelled_nodes.h"

namespace bayplan {

class AttachedVolumes;

// A claim that waited for its first consumer takes a volume, because a pod was placed.
struct ClaimBinding {
    ClaimName claim;
    Text volume = 0;
    bool operator==(const ClaimBinding&) const = default;
};

class VolumeObjects {
public:
    template <typename Object>
    using Shared = std::shared_ptr<const Object>;

    VolumeObjects(const TextTable& texts, const KnownTexts& known, const LabelCarriers& carriers);
    ~VolumeObjects();
    VolumeObjects(const VolumeObjects&) = delete;
    VolumeObjects& operator=(const VolumeObjects&) = delete;

    // The node of the slot has these facts now; null: it goes.
    void set_node(Slot, const std::shared_ptr<const NodeFacts>&);
    const LabelledNodes& nodes() const { return nodes_; }

    // False: an object of another kind (a namespace, a budget...), which is not kept. `before` gets what
    // was replaced.
    bool apply(const ClusterObject&, std::optional<ClusterObject>* before = nullptr);
    // Only kind and names of the object count. False if it is of another kind.
    bool remove(const ClusterObject&, std::optional<ClusterObject>* before = nullptr);

    // Null if nobody stated it. Claims and volumes are seen with what placements assumed of them.
    Shared<VolumeClaim> claim(ClaimName) const;
    Shared<Volume> volume(Text name) const;
    Shared<StorageClass> storage_class(Text name) const;
    Shared<CsiNode> csi_node(Text node) const;
    Shared<CsiDriver> csi_driver(Text name) const;
    const FreeVolumes& free_volumes() const { return free_; }
    // Volumes that are a claim's by their own word, by name.
    std::vector<Shared<Volume>> volumes_of_claim(ClaimName) const;
    std::vector<Shared<CsiCapacity>> capacities_of_class(Text storage_class) const;
    std::span<const Shared<VolumeAttachment>> attachments_of_node(Text node) const;

    // A placement took these volumes: from now on each claim is bound to its volume and the volume is the
    // claim's, wherever the objects themselves say nothing of it yet. An object's own binding takes precedence.
    void assume(std::span<const ClaimBinding>);
    // Undoes assume() of just these, nothing having been assumed or forgotten since.
    void unassume(std::span<const ClaimBinding>);
    // An assumption's index among its claim's assumptions, and among its volume's.
    struct Assumed {
        std::size_t of_claim = 0;
        std::size_t of_volume = 0;
    };
    // The pod is gone; bindings that were not assumed are passed over. Returns the others' indices.
    std::vector<Assumed> forget(std::span<const ClaimBinding>);
    // Undoes forget() of just these, which all were assumed, nothing having been assumed or forgotten since.
    void assume_again(std::span<const ClaimBinding>, std::span<const Assumed>);

    // A pod of the spec is on the node; for the second it must have been added.
    void add_pod(const PodSpec&, Slot);
    void remove_pod(const PodSpec&, Slot);
    // Pods that name a claim directly (not by an ephemeral volume), on any node.
    void add_pod_claims(std::span<const ClaimName>);
    void remove_pod_claims(std::span<const ClaimName>);
    const AttachedVolumes& attached() const { return *attached_; }
    std::uint32_t pods_using(ClaimName) const;

    // Grows with every change that a plan or a judgement may depend on, but for the counts of pods.
    std::uint64_t version() const { return version_; }
    // Grows when the number of pods that use a claim becomes or ceases to be 0.
    std::uint64_t use_version() const { return use_version_; }

private:
    using Key = std::uint64_t;  // namespace and name
    static Key key_of(Text name_space, Text name) { return Key{name_space} << 32 | name; }
    static Key key_of(ClaimName claim) { return key_of(claim.name_space, claim.name); }

    template <typename Object>
    struct WithView {
        Shared<Object> stated;
        Shared<Object> view;  // with what is assumed; `stated` itself if nothing is
    };
    template <typename Object>
    using ByText = SplitMap<Text, Shared<Object>, NumberHash>;
    template <typename Object>
    using ByKey = SplitMap<Key, Shared<Object>, NumberHash>;
    template <typename Object>
    using ManyByText = SplitMap<Text, std::vector<Shared<Object>>, NumberHash>;

    using Before = std::optional<ClusterObject>*;
    void put(const VolumeClaim&, Before);
    void put(const Volume&, Before);
    void put(const StorageClass&, Before);
    void put(const CsiNode&, Before);
    void put(const CsiDriver&, Before);
    void put(const CsiCapacity&, Before);
    void put(const VolumeAttachment&, Before);
    void take(const VolumeClaim&, Before);
    void take(const Volume&, Before);
    void take(const StorageClass&, Before);
    void take(const CsiNode&, Before);
    void take(const CsiDriver&, Before);
    void take(const CsiCapacity&, Before);
    void take(const VolumeAttachment&, Before);

    void renew_views(const ClaimBinding&);
    void renew_view(ClaimName);
    void renew_view_of_volume(Text);
    void index(const Shared<Volume>& view);
    void unindex(const Shared<Volume>& view);
    void tell_attached(Text volume);

    const TextTable& texts_;
    LabelledNodes nodes_;
    FreeVolumes free_;
    std::unique_ptr<AttachedVolumes> attached_;  // apart, so that few files know it
    SplitMap<Key, WithView<VolumeClaim>, NumberHash> claims_;
    SplitMap<Text, WithView<Volume>, NumberHash> volumes_;
    SplitMap<Key, std::vector<Text>, NumberHash> volumes_by_claim_;  // by the claim in their view
    ByText<StorageClass> classes_;
    ByText<CsiNode> csi_nodes_;
    ByText<CsiDriver> drivers_;
    ByKey<CsiCapacity> capacities_;
    ManyByText<CsiCapacity> capacities_by_class_;
    ByText<VolumeAttachment> attachments_;
    ManyByText<VolumeAttachment> attachments_by_node_;
    ManyByText<VolumeAttachment> attachments_by_volume_;
    // Bindings that placements took, in their order; of several for one claim or volume the first counts.
    SplitMap<Key, std::vector<Text>, NumberHash> assumed_volumes_;       // by claim
    SplitMap<Text, std::vector<ClaimName>, NumberHash> assumed_claims_;  // by volume
    SplitMap<Key, std::uint32_t, NumberHash> claim_uses_;
    std::uint64_t version_ = 0;
    std::uint64_t use_version_ = 0;
};

}  // namespace bayplan
