// A node with as many pods as it may have, from which they go one by one: none may be looked for among all others.
#include <gtest/gtest.h>

#include <cstdint>

#include "cluster/node_pods.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

// The work for so many pods that come and go; the first first, or the last.
std::uint64_t cost_of(std::uint32_t pods, bool last_first) {
    NodePods there;
    for (std::uint32_t pod = 0; pod < pods; ++pod) {
        there.insert(AskId{pod});
    }
    const std::uint64_t before = work();
    for (std::uint32_t pod = 0; pod < pods; ++pod) {
        there.remove(AskId{last_first ? pods - 1 - pod : pod});
    }
    EXPECT_TRUE(there.empty());
    return work() - before;
}

TEST(NodePods, that_go_cost_the_same_on_a_node_with_thousands) {
    for (const bool last_first : {false, true}) {
        const std::uint64_t of_512 = cost_of(512, last_first);
        EXPECT_GT(of_512, 512u);  // the work is counted at all
        EXPECT_LT(cost_of(4'096, last_first), 3 * 8 * of_512 / 2);
    }
}

TEST(NodePods, are_those_that_came_and_did_not_go) {
    NodePods there;
    std::vector<bool> expected(1'000);
    std::uint32_t number = 1;
    for (int step = 0; step < 20'000; ++step) {
        number = number * 1'664'525u + 1'013'904'223u;
        const std::uint32_t pod = number / 65'536 % 1'000;
        const bool comes = step / 2'000 % 2 == 0;  // it grows beyond what is looked through, and shrinks again
        if (comes && !expected[pod]) {
            there.insert(AskId{pod});
            expected[pod] = true;
        } else if (!comes && expected[pod]) {
            there.remove(AskId{pod});
            expected[pod] = false;
        }
        if (step % 500 != 0) {
            continue;
        }
        std::vector<bool> seen(1'000);
        for (const AskId id : there) {
            EXPECT_FALSE(seen[raw(id)]);
            seen[raw(id)] = true;
        }
        EXPECT_EQ(seen, expected) << "step " << step;
    }
}

}  // namespace
}  // namespace bayplan::attacks
