// Volumes that a waiting claim may take: by class, kind, the nodes that they reach, and size.
//
//   pool     volumes of one class, mode and access modes
//   reach    of a pool: volumes with one and the same node affinity (of local volumes one node's), smallest first
//   largest  of a pool, by slot: bytes of the largest volume that reaches the node
//
// A claim at a node costs a look-up for each label of the node; all nodes that could serve a claim are a pass over numbers.
//
// Thread: the engine's changes it; others may read while nobody does. The keys of node affinities are in use (LabelledNodes).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/interned.h"
#include "bayplan/cluster_object.h"
#include "labels/selector.h"
#include "volumes/labelled_nodes.h"

namespace bayplan {

// A volume's node affinity; none: it reaches every node.
struct ReachTerms {
    std::optional<std::vector<NodeTerm>> nodes;
    bool operator==(const ReachTerms&) const = default;
};
std::size_t hash_of(const ReachTerms&);

class FreeVolumes {
public:
    using Shared = std::shared_ptr<const Volume>;

    FreeVolumes(const TextTable& texts, const KnownTexts& known, const LabelledNodes& nodes)
        : texts_(texts), known_(known), nodes_(nodes) {}

    // Free as it stands: available, nobody's, not going.
    static bool is_free(const Volume& volume) { return volume.available && !volume.deleting && volume.claim == 0; }
    void add(Shared);
    // Must have been added, with the same fields.
    void remove(const Volume&);
    // LabelledNodes has the change already.
    void node_changed(Slot);

    // The smallest that suits the claim and reaches the node; of equal ones that whose name is first in byte order.
    // `taken`: not these. Null: none.
    const Volume* smallest(const VolumeClaim&, const NodeFacts&, std::span<const Text> taken) const;
    // Adds the nodes that some volume reaches which suits the claim, but for its selector.
    void add_nodes(const VolumeClaim&, NodeMask&) const;

private:
    enum class ReachId : std::uint32_t {};

    struct Listed {
        std::int64_t bytes = 0;
        Shared volume;
    };
    struct Smaller {
        const TextTable* texts = nullptr;
        using is_transparent = void;
        bool operator()(const Listed& a, const Listed& b) const {
            return a.bytes != b.bytes ? a.bytes < b.bytes : texts->text(a.volume->name) < texts->text(b.volume->name);
        }
        bool operator()(const Listed& a, const Volume& b) const {
            return a.bytes != b.bytes ? a.bytes < b.bytes : texts->text(a.volume->name) < texts->text(b.name);
        }
        bool operator()(const Volume& a, const Listed& b) const {
            return a.bytes != b.bytes ? a.bytes < b.bytes : texts->text(a.name) < texts->text(b.volume->name);
        }
        bool operator()(const Listed& a, std::int64_t bytes) const { return a.bytes < bytes; }
        bool operator()(std::int64_t bytes, const Listed& a) const { return bytes < a.bytes; }
    };
    struct Reach {
        ReachTerms key;
        std::set<Listed, Smaller> volumes;
    };
    struct Pool {
        bool block_mode = false;
        std::uint8_t access_modes = 0;
        Interned<ReachId, Reach> reaches;
        // Where a reach is looked for: under labels of which a node that it reaches must have one; else for every node.
        boost::unordered_flat_map<std::uint64_t, std::vector<ReachId>> by_label;
        std::vector<ReachId> anywhere;
        std::vector<std::int64_t> largest;  // kNoVolume: none
    };
    using Pools = std::deque<Pool>;

    static constexpr std::int64_t kNoVolume = INT64_MIN;

    static bool suits(const Pool& pool, const VolumeClaim& claim) {
        return pool.block_mode == claim.block_mode && (claim.access_modes & ~pool.access_modes) == 0;
    }

    Pool& pool_of(const Volume&);
    void list(Pool&, ReachId);
    void unlist(Pool&, ReachId);
    template <typename Each>
    void for_each_anchor(const ReachTerms&, Each&& each) const;
    template <typename Each>
    void for_each_reach(const Pool&, const NodeFacts&, Each&& each) const;
    template <typename Each>
    void for_each_node(const Reach&, Each&& each) const;
    void find_largest(Pool&, Slot) const;

    const TextTable& texts_;
    const KnownTexts& known_;
    const LabelledNodes& nodes_;
    boost::unordered_flat_map<Text, Pools> classes_;
};

}  // namespace bayplan
