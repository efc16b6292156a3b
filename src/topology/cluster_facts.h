// Everything about pods and nodes that a predicate or score asks beyond one node's own columns: labels and
// taints by signature, topology domains, counts of pods by selector and domain, images, namespaces,
// services. Kept by events; nothing here walks all pods or all nodes for an ask.
//
// Thread: the engine's (masks of signatures go to proposals as shared, immutable copies). Owner: World.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "apps/spec_table.h"
#include "base/text_table.h"
#include "claims/claim_objects.h"
#include "cluster/change_log.h"
#include "cluster/host_ports.h"
#include "cluster/label_carriers.h"
#include "cluster/node_table.h"
#include "labels/known_texts.h"
#include "labels/spread_terms.h"
#include "options/topology_parts.h"
#include "topology/image_counts.h"
#include "topology/node_filters.h"
#include "topology/pod_counts.h"
#include "topology/signatures.h"
#include "topology/spec_plan.h"
#include "topology/topology_keys.h"
#include "volumes/node_volumes.h"
#include "volumes/volume_objects.h"

namespace bayplan {

// The settings that matter here.
struct TopologyOptions {
    std::uint32_t parts = kAllCounts;         // bits of TopologyPart
    bool negative_selector_fault = false;     // kubernetes-1.35
    std::size_t column_bytes_max = SIZE_MAX;  // of PodCounts::by_slot
    std::size_t members_max = SIZE_MAX;       // of all sets of PodCounts
    bool keeps(TopologyPart part) const { return (parts & part) != 0; }
};

class ClusterFacts final : public SpecListener {
public:
    struct Parts {
        TextTable& texts;
        const KnownTexts& known;
        AskTable& asks;
        SpecTable& specs;
        const ClassTable& classes;
        NodeTable& nodes;
    };
    ClusterFacts(const Parts&, const TopologyOptions&);

    void spec_added(SpecId) override;
    void spec_going(SpecId) override;

    // The node of the slot has these facts now (null: it goes; its pods have gone before). Also keeps
    // NodeInfo::facts and the references on the texts.
    void set_facts(Slot, std::shared_ptr<const NodeFacts>);
    void add_pod(SpecId, Slot, bool terminating);
    void remove_pod(SpecId, Slot, bool terminating);
    // A pod that is there terminates from now on, or does not any more; or it is marked as a victim, or no more.
    void pod_marked(SpecId, Slot, bool terminated, bool terminates);

    // Objects; the texts are held by the caller.
    void set_namespace(Text name, const std::vector<Label>& sorted_labels);
    void remove_namespace(Text name);
    PodSetTable& pod_sets() { return pod_sets_; }
    void pod_sets_changed() { ++objects_version_; }
    VolumeObjects& volumes() { return volumes_; }
    const VolumeObjects& volumes() const { return volumes_; }
    ClaimObjects& claims() { return claims_; }
    const ClaimObjects& claims() const { return claims_; }
    bool as_kubernetes_1_35() const { return options_.negative_selector_fault; }  // with its faults

    // The plan of a spec that is to be scheduled, up to date.
    const SpecPlan& plan(SpecId);
    // Ports and volumes in use on the node of the slot.
    const HostPorts& ports(Slot slot) const {
        return raw(slot) < uses_.size() ? uses_[raw(slot)].ports : nothing_.ports;
    }
    const NodeVolumes& volumes_on(Slot slot) const {
        return raw(slot) < uses_.size() ? uses_[raw(slot)].volumes : nothing_.volumes;
    }
    // Grows with every change of objects and marks of pods (all else of nodes and pods is in the change log).
    std::uint64_t version() const {
        return counts_.terms_version() + objects_version_ + marks_version_ + volumes_.version() +
               volumes_.use_version() + claims_.version();
    }
    // The same without volumes and claims.
    std::uint64_t terms_version() const { return counts_.terms_version() + objects_version_; }
    const PodSpec& spec(SpecId id) const { return specs_[id]; }

    const TopologyKeys& keys() const { return keys_; }
    // A column that others than plans read.
    KeyId acquire_key(Text key) { return keys_.acquire({.key = key}, facts_); }
    void release_key(KeyId id) { keys_.release(id); }
    PodCounts& counts() { return counts_; }
    const PodCounts& counts() const { return counts_; }
    const NodeFilters& filters() const { return filters_; }
    const Signatures& signatures() const { return signatures_; }
    // The cost of plans so far, without a clock: specs held against sets of pods, pods counted, nodes judged by terms, nodes
    // with an image.
    std::uint64_t looks() const {
        return counts_.specs_looked_at() + counts_.pods_looked_at() / kPodsPerLook +
               signatures_.looks() / kJudgementsPerLook + images_.looks() / kImagesPerLook;
    }
    ImageCounts& images() { return images_; }
    const TextTable& texts() const { return texts_; }
    const KnownTexts& known() const { return known_; }
    const FactsBySlot& facts() const { return facts_; }
    // The node of this name, kNone if there is none.
    Slot node_named(NameId name) const { return nodes_.find(name); }
    Slot node_named(Text name) const { return nodes_.find(texts_.text(name)); }
    bool required_nodes_match(const PodSpec& spec, Slot slot) const {
        return bayplan::required_nodes_match(spec, *facts_[raw(slot)], known_, texts_);
    }
    std::uint64_t node_count() const { return node_count_; }
    // Nodes whose pods or facts changed, if only for a trial. (Their columns are in the log of NodeState.)
    const ChangeLog& pod_log() const { return pod_log_; }
    // Fewest pods of a hard constraint's domains that have an eligible node; 0 below min_domains, and
    // INT32_MAX if no domain has one.
    std::int64_t least_pods(const SpecPlan::HardSpread&) const;

private:
    struct NodeUse {
        HostPorts ports;
        NodeVolumes volumes;
    };

    std::unique_ptr<SpecPlan> make_plan(SpecId);
    void plan_hard_spread(const PodSpec&, SpecPlan&);
    void plan_soft_spread(const PodSpec&, SpecPlan&);
    void plan_own_terms(const PodSpec&, SpecPlan&);
    void plan_terms_of_others(const PodSpec&, SpecPlan&);
    FilterId hold_filter(const PodSpec&, const SpreadConstraint&, const std::vector<Text>& keys, SpecPlan&);
    CounterId hold_spread_counter(const PodSpec&, const SpreadConstraint&, KeyId, FilterId, SpecPlan&);
    SpecPlan::Peers hold_peers(std::vector<TermMatch>, Text topology_key, SpecPlan&);
    KeyId hold_key(TopologyKey, SpecPlan&);
    void drop(SpecPlan&);
    void count_pods_on(Slot, int sign);

    static constexpr std::uint64_t kPodsPerLook = 2;
    static constexpr std::uint64_t kJudgementsPerLook = 4;
    static constexpr std::uint64_t kImagesPerLook = 8;

    TextTable& texts_;
    const KnownTexts& known_;
    AskTable& asks_;
    const ClassTable& classes_;
    SpecTable& specs_;
    NodeTable& nodes_;
    const TopologyOptions options_;
    FactsBySlot facts_;
    std::uint64_t node_count_ = 0;
    LabelCarriers carriers_;
    TopologyKeys keys_;
    NodeFilters filters_;
    PodCounts counts_;
    Signatures signatures_;
    ImageCounts images_;
    PodSetTable pod_sets_;
    VolumeObjects volumes_{texts_, known_, carriers_};
    ClaimObjects claims_{texts_};
    std::vector<NodeUse> uses_;  // by slot; as far as there was ever one
    const NodeUse nothing_{};
    ChangeLog pod_log_;
    std::uint64_t objects_version_ = 1;
    std::uint64_t marks_version_ = 0;
    std::uint64_t plans_made_ = 0;
    std::vector<std::unique_ptr<SpecPlan>> plans_;  // by SpecId
};

}  // namespace bayplan
