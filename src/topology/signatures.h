// The questions of a spec that a node's labels and taints alone decide: may it run there (TaintToleration,
// NodeAffinity), and how is it liked (their raw scores). One entry for all specs alike, one bit or number per node,
// found anew only when that node changes.
//
// Thread: the engine's. The masks are handed to proposals: a change copies a mask that somebody else holds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/interned.h"
#include "cluster/node_mask.h"
#include "labels/known_texts.h"
#include "topology/topology_keys.h"

namespace bayplan {

enum class SignatureId : std::uint32_t {};

struct SignatureKey {
    PodSpec wanted;  // only node_selector, required_nodes, preferred_nodes and tolerations
    bool operator==(const SignatureKey&) const = default;
};
std::size_t hash_of(const SignatureKey&);

class Signatures {
public:
    // `by_taints`, `by_affinity`: the masks are made of these.
    Signatures(const TextTable& texts, const KnownTexts& known, bool by_taints, bool by_affinity)
        : texts_(texts), known_(known), by_taints_(by_taints), by_affinity_(by_affinity) {}

    // `required`: with the spec's required terms; else the user of the mask checks them (SpecPlan::by_name).
    // `labelled`: if not null, no other node has all labels of the node selector.
    SignatureId acquire(const PodSpec&, bool required, const FactsBySlot&, const std::vector<Slot>* labelled);
    void release(SignatureId);
    void set_node(Slot, const NodeFacts*, std::size_t slots);
    // The cost of judging so far: 1 for a node and a term of few values.
    std::uint64_t looks() const { return looks_; }

    // Nodes that TaintToleration and NodeAffinity let pass; null = all.
    const std::shared_ptr<NodeMask>& mask(SignatureId id) const { return entries_[id].mask; }
    // Raw scores by slot; empty = all are 0.
    const std::vector<std::int32_t>& taint_raw(SignatureId id) const { return entries_[id].taint_raw; }
    const std::vector<std::int32_t>& affinity_raw(SignatureId id) const { return entries_[id].affinity_raw; }
    // Has any node a raw score?
    bool distinguishes_nodes(SignatureId id) const {
        return !entries_[id].taint_raw.empty() || !entries_[id].affinity_raw.empty();
    }

private:
    struct Entry {
        SignatureKey key;
        PodSpec judged;            // its terms that parse
        std::uint64_t weight = 0;  // of one node's judgement, in looks
        std::shared_ptr<NodeMask> mask;
        std::vector<std::int32_t> taint_raw;
        std::vector<std::int32_t> affinity_raw;
        std::uint32_t disliked = 0;  // nodes with a taint score
        std::uint32_t liked = 0;     // nodes with an affinity score
    };

    void judge_all(Entry&, const FactsBySlot&, const std::vector<Slot>* labelled);
    void judge(Entry&, Slot, const NodeFacts*, std::size_t slots);
    static void put(std::vector<std::int32_t>&, std::uint32_t& nonzero, Slot, std::int32_t, std::size_t slots);

    const TextTable& texts_;
    const KnownTexts& known_;
    const bool by_taints_;
    const bool by_affinity_;
    NodeMask tainted_;  // nodes with a taint
    std::uint64_t looks_ = 0;
    Interned<SignatureId, Entry> entries_;
};

}  // namespace bayplan
