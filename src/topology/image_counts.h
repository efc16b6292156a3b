// Which images lie on how many nodes, and from that a score per node for each list of images asked for.
// Source: Kubernetes 1.35, ImageLocality.
//
// Thread: the engine's. A column of scores is made anew when it is asked for and an image of its list has come to a node or left
// one since, or the number of nodes is another: a step for each node that has one of the images.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/node_facts.h"
#include "cluster/node_set.h"
#include "topology/topology_keys.h"

namespace bayplan {

class ImageCounts {
public:
    // The node of the slot had these facts, and has those now, which may be the same. Null: there was, or is, no node.
    void change(Slot, const NodeFacts* before, const NodeFacts* after);

    // Another one whenever scores of the list may be others.
    struct Version {
        std::uint64_t changed = 0;  // last change of an image of the list that is on some node
        std::uint64_t gone = 0;     // images that were on some node, and then on none
        std::uint64_t nodes = 0;
        bool operator==(const Version&) const = default;
    };
    Version version(const std::vector<Text>& images) const;
    // True if no node has any of the images: every score is 0.
    bool nowhere(const std::vector<Text>& images) const;
    // 0 to 100 by slot.
    const std::vector<std::int32_t>& scores(const std::vector<Text>& images, const FactsBySlot&);
    // Nodes looked at for columns so far.
    std::uint64_t looks() const { return looks_; }

private:
    // Columns that are kept, the longest made go first: of so many bytes together, but so many at least.
    static constexpr std::size_t kColumnBytesMax = std::size_t{64} << 20;
    static constexpr std::size_t kColumnsMin = 16;

    struct Image {
        NodeSet nodes;
        std::int64_t bytes = 0;  // as the node said that had it first
        std::uint64_t changed = 0;
    };
    struct Column {
        Version version;
        std::vector<std::int32_t> scores;
    };

    void comes(Slot, const NodeImage&);
    void stays(const NodeImage&);
    void goes(Slot, const NodeImage&);
    void make(Column&, const std::vector<Text>& images, std::size_t slots);

    boost::unordered_flat_map<Text, Image> images_;
    std::uint32_t nodes_ = 0;
    std::uint64_t changes_ = 1;
    std::uint64_t gone_ = 0;  // of Version
    std::uint64_t looks_ = 0;
    using Columns = std::map<std::vector<Text>, Column>;
    Columns columns_;
    std::deque<Columns::iterator> in_order_;  // in which they were made
    std::vector<std::int64_t> shares_;        // by slot, of the column that is being made; else 0
};

}  // namespace bayplan
