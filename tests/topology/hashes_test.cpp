// Keys that a shim may choose, one beside the other, are apart in every part of their hashes: the highest bits say where an
// entry lies, others in which part of a table (split_map.h).
#include <gtest/gtest.h>

#include <cstdint>
#include <unordered_set>

#include "labels/term_index.h"
#include "topology/node_filters.h"
#include "topology/topology_keys.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kKeys = 4'096;

class Hashes {
public:
    void add(std::uint64_t hash) {
        whole_.insert(hash);
        high_.insert(hash >> 52);
        parts_.insert(hash >> 8 & 63);
    }
    void expect_good() const {
        EXPECT_EQ(whole_.size(), kKeys);
        EXPECT_GT(high_.size(), kKeys / 2);
        EXPECT_EQ(parts_.size(), 64u);
    }

private:
    std::unordered_set<std::uint64_t> whole_;
    std::unordered_set<std::uint64_t> high_;  // twelve bits
    std::unordered_set<std::uint64_t> parts_;
};

TEST(Hashes, of_topology_keys) {
    Hashes hashes;
    for (std::uint32_t text = 0; text < kKeys; ++text) hashes.add(hash_of(TopologyKey{text, false}));
    hashes.expect_good();
}

TEST(Hashes, of_eligible_nodes) {
    Hashes hashes;
    for (std::uint32_t at = 0; at < kKeys; ++at) {
        hashes.add(hash_of(EligibleKey{static_cast<FilterId>(at % 64), static_cast<KeyId>(at / 64)}));
    }
    hashes.expect_good();
}

TEST(Hashes, of_labels_in_namespaces) {
    Hashes hashes;
    const std::uint64_t far = std::uint64_t{7} << 32 | 1'000'000;
    for (std::uint32_t at = 0; at < kKeys; ++at) hashes.add(TermPlaceHash{}({100 + at, far - std::uint64_t{32} * at}));
    hashes.expect_good();
}

}  // namespace
}  // namespace bayplan
