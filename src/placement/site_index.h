// Index that a class's searches over the cluster (site_search.h) keep from one search to the next: its blocks by site,
// with the best of each and of 64 together, so that a search costs sites and groups, not blocks.
//
//   site       nodes that lie in the same domains (a zone), but for keys that are looked at node by node (hostname, racks)
//   part       nodes of a block that belong to one site: mostly all of them
//   group      up to 64 parts of one site
//   of a part: its feasible nodes; the best key among them by the score of their own columns; and per score that is
//               normalised, least and most of what the nodes' own numbers (site_scores.h) come to
//
// Owner and thread: as ClassCache, of which it is a part; only searches read and change it (engine thread).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "lanes/lane_kernels.h"
#include "placement/node_key.h"
#include "topology/topology_keys.h"

namespace bayplan {

class SiteIndex {
public:
    static constexpr std::uint32_t kGroup = 64;
    static constexpr std::uint32_t kNoBlock = UINT32_MAX;

    struct Group {
        NodeKey best = 0;
        std::uint32_t site = 0;
        std::uint32_t parts = 0;  // at its first positions
        bool changed = false;     // best and ranges must be found anew
    };
    struct Part {
        std::uint32_t block = 0;
        std::uint32_t site = 0;
        std::uint64_t lanes = 0;
    };
    struct Site {
        Slot slot{};  // any of its slots
        std::uint32_t first_group = 0;
        std::uint32_t end_group = 0;
        std::uint64_t nodes = 0;  // feasible ones
    };

    // The state that the entries were found for; a difference makes all of them void.
    struct Made {
        struct Key {
            std::uint32_t key;
            std::uint64_t layout;
            bool operator==(const Key&) const = default;
        };
        std::uint64_t plan = 0;  // SpecPlan::number; 0: nothing was made
        std::vector<Key> keys;
        bool usable = false;                // all keys are looked at by site or by node
        std::vector<std::int64_t> numbers;  // Predicate::shared_numbers
        std::uint64_t pod_position = 0;     // in ClusterFacts::pod_log
        std::vector<std::uint32_t> shared;  // keys whose domains have several nodes that are looked at one by one
    };
    Made made;
    std::uint64_t asked_for = 0;  // the plan of the last search, made or not

    void forget() { made.plan = asked_for = 0; }

    std::uint32_t block_count() const { return blocks_; }
    // Parts by block, which are all lanes of all blocks; sites are 0, 1, ...; no part has a feasible node until it is set.
    void arrange(const std::vector<Part>&, std::uint32_t blocks, std::uint32_t sites, std::size_t scores);

    // `best`: 0 if there are no nodes.
    void set(std::uint32_t position, std::uint64_t nodes, NodeKey best);
    bool has_ranges(std::size_t score) const { return !ranges_[score].min.empty(); }
    // After set(). A score without any ranges: all are 0.
    void set_range(std::size_t score, std::uint32_t position, LaneRange);
    // Before the groups are read.
    void find_best(const LaneKernels&);

    const std::vector<Site>& sites() const { return sites_; }
    const Group& group(std::uint32_t number) const { return groups_[number]; }
    LaneRange range_of_group(std::size_t score, std::uint32_t group) const {
        return has_ranges(score) ? ranges_[score].of_group[group] : LaneRange{0, 0};
    }

    // How many domains feasible nodes lie in, of the key that is counted: feasible nodes by domain are told by set().
    void count_domains(const Domain* of_lanes, std::uint64_t before, std::uint64_t after);
    std::int64_t domains() const { return domains_; }

    // Positions number the parts group by group, from group * kGroup on; some positions have no part.
    std::uint32_t position_of(Slot slot) const {
        std::uint32_t part = first_part_[block_of(slot)];
        while ((lanes_[part] >> lane_of(slot) & 1) == 0) {
            ++part;
        }
        return position_of_[part];
    }
    // Calls each(position, lanes) for the parts of a block.
    template <typename Each>
    void for_each_part(std::uint32_t block, Each&& each) const {
        for (std::uint32_t part = first_part_[block]; part < first_part_[block + 1]; ++part) {
            each(position_of_[part], lanes_[part]);
        }
    }
    std::uint32_t block_at(std::uint32_t position) const { return block_at_[position]; }
    NodeKey best_at(std::uint32_t position) const { return best_[position]; }
    std::uint64_t nodes_at(std::uint32_t position) const { return nodes_[position]; }
    LaneRange range_at(std::size_t score, std::uint32_t position) const {
        return has_ranges(score) ? LaneRange{ranges_[score].min[position], ranges_[score].max[position]}
                                 : LaneRange{0, 0};
    }

    // Kept, beside the object itself.
    std::size_t bytes() const {
        std::size_t all =
            made.keys.capacity() * sizeof(Made::Key) + made.numbers.capacity() * sizeof(std::int64_t) +
            made.shared.capacity() * sizeof(std::uint32_t) +
            (first_part_.capacity() + position_of_.capacity() + block_at_.capacity() + nodes_in_.capacity()) *
                sizeof(std::uint32_t) +
            (lanes_.capacity() + best_.capacity() + nodes_.capacity()) * sizeof(std::uint64_t) +
            ranges_.capacity() * sizeof(Ranges) + groups_.capacity() * sizeof(Group) + sites_.capacity() * sizeof(Site);
        for (const Ranges& ranges : ranges_) {
            all += (ranges.min.capacity() + ranges.max.capacity()) * sizeof(std::int64_t) +
                   ranges.of_group.capacity() * sizeof(LaneRange);
        }
        return all;
    }

private:
    struct Ranges {
        std::vector<std::int64_t> min;  // by position
        std::vector<std::int64_t> max;
        std::vector<LaneRange> of_group;
    };

    void make_ranges(Ranges&);

    std::uint32_t blocks_ = 0;
    std::vector<std::uint32_t> first_part_;   // by block, and the end
    std::vector<std::uint64_t> lanes_;        // by part
    std::vector<std::uint32_t> position_of_;  // by part
    std::vector<std::uint32_t> nodes_in_;     // feasible ones, by domain of the key that is counted
    std::int64_t domains_ = 0;                // that have any
    std::vector<std::uint32_t> block_at_;
    std::vector<NodeKey> best_;
    std::vector<std::uint64_t> nodes_;
    std::vector<Ranges> ranges_;  // by score
    std::vector<Group> groups_;
    std::vector<Site> sites_;
};

}  // namespace bayplan
