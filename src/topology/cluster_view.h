// The state read to decide on a pod: the tables of one partition, and the pod that is judged in them. Predicates,
// scores, searches and trials are handed this and nothing else of the world.
//
// Thread: the engine's; victim workers while the engine waits for them. Owner: World, which outlives its readers.
#pragma once

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "apps/spec_table.h"
#include "base/name_table.h"
#include "cluster/devices.h"
#include "cluster/node_state.h"
#include "cluster/node_table.h"
#include "cluster/room_ranges.h"
#include "topology/cluster_facts.h"

namespace bayplan {

using ResourceNames = NameTable<ResourceId>;

struct ClusterView {
    const AskTable& asks;
    const ClassTable& classes;
    const SpecTable& specs;
    const NodeTable& nodes;
    const NodeState& node_state;
    ClusterFacts& topology;  // not const: it makes plans, masks and sums when they are first asked for
    const ResourceNames& resources;
    const Devices& devices;
};

// The pod that is judged, with what is known of its spec.
struct Subject {
    const ClusterView& cluster;
    const AskClass& ask_class;
    const PodSpec& spec;
    const SpecPlan& plan;
    RoomRanges* rooms = nullptr;  // of the blocks that are judged, the cluster's own; null: their columns are asked
};

struct NodeView {
    const NodeBlock& block;
    Slot slot;
    const NodeFacts& facts;
    std::uint32_t lane() const { return lane_of(slot); }
};

// Brings the plan up to date. The view must outlive the subject.
inline Subject subject_of(const ClusterView& cluster, const AskClass& ask_class) {
    return {cluster, ask_class, cluster.specs[ask_class.pod_spec], cluster.topology.plan(ask_class.pod_spec)};
}
inline Subject subject_of(const ClusterView& cluster, ClassId id) {
    return subject_of(cluster, *cluster.classes[id].spec);
}
Subject subject_of(const ClusterView&&, const AskClass&) = delete;
Subject subject_of(const ClusterView&&, ClassId) = delete;

}  // namespace bayplan
