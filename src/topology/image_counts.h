// Which images lie on how many nodes, and from that a score per node for each list of images asked for.
// Source: Kubernetes 1.35, ImageLocality.
//
// Thread: the engine's. A column of scores is made anew when it is asked for and nodes have changed since.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/node_facts.h"
#include "topology/topology_keys.h"

namespace bayplan {

class ImageCounts {
public:
    // Before and after a change of a node's facts; null = none.
    void take_out(const NodeFacts*);
    void put_in(const NodeFacts*);
    // Stated as they are: out and in again.
    void renew(const NodeFacts&);

    // Grows whenever scores may be others.
    std::uint64_t version() const { return version_; }
    // True if no node has any of the images: every score is 0.
    bool nowhere(const std::vector<Text>& images) const;
    // 0 to 100 by slot.
    const std::vector<std::int32_t>& scores(const std::vector<Text>& images, const FactsBySlot&);
    std::int64_t score(const std::vector<Text>& images, const NodeFacts&) const;

private:
    static constexpr std::size_t kColumnsMax = 1024;

    struct Image {
        std::uint32_t nodes = 0;
        std::int64_t bytes = 0;  // as the node said that had it first
    };
    struct Column {
        std::uint64_t version = 0;
        std::vector<std::int32_t> scores;
    };

    boost::unordered_flat_map<Text, Image> images_;
    std::uint32_t nodes_ = 0;
    std::uint64_t version_ = 1;
    std::map<std::vector<Text>, Column> columns_;
};

}  // namespace bayplan
