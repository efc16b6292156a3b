// A remembered finding is the finding of a search made now, after anything came, changed and went.
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/claims/claims_world.h"

namespace bayplan::testing {
namespace {

constexpr std::uint32_t kNodes = 70;  // more than a block
constexpr int kSteps = 3'000;

class Shapes : public ::testing::Test, protected ClaimsWorld {
protected:
    void SetUp() override {
        state_class("any");
        state_class("red", {"has(device.attributes[\"a.io\"].color) && device.attributes[\"a.io\"].color == \"red\""});
        for (std::uint32_t n = 0; n < kNodes; ++n) {
            nodes_.push_back(node("n" + std::to_string(n)));
            objects.set_node(Slot{n}, nodes_.back().name);
        }
    }

    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

    // Of one node each, seldom of all nodes; pools are shared by few nodes.
    ResourceSlice random_slice(std::uint32_t n) {
        ResourceSlice made = slice("s" + std::to_string(n), {});
        made.pool = text("p" + std::to_string(n / 2));
        made.node = nodes_[n].name;
        made.generation = 1 + below(2);
        made.pool_slices = 1 + below(2);
        made.reach = below(60) == 0 ? SliceReach::all_nodes : SliceReach::node;
        for (std::uint32_t d = 0; d < below(4); ++d) {
            made.devices.push_back(
                device(below(9) == 0 ? "d0" : "d" + std::to_string(d), below(2) == 0 ? "red" : "blue"));
        }
        return made;
    }

    void change_something() {
        const std::uint32_t n = below(kNodes);
        const std::uint32_t what = below(10);
        if (what < 4) {
            objects.apply(random_slice(n));
        } else if (what == 4) {
            objects.remove(slice("s" + std::to_string(n), {}));
        } else if (what < 8) {
            ResourceClaim taken = claim("taken" + std::to_string(below(30)));
            taken.allocation.emplace().devices.push_back({text("r"), text("a.io"), text("p" + std::to_string(n / 2)),
                                                          text("d" + std::to_string(below(3))), false});
            objects.apply(taken);
        } else if (what == 8) {
            objects.remove(claim("taken" + std::to_string(below(30))));
        } else {
            objects.set_node(Slot{n}, nodes_[n].name);
        }
    }

    // A claim of a name that nobody had before.
    ClaimPlan plan_for(int number, std::string_view device_class, std::int64_t count) {
        const std::string name = "claim" + std::to_string(number);
        pod.resource_claims.claims.clear();
        needs(claim(name, {request(demand("r", count, device_class))}));
        ClaimPlan made = plan();
        objects.remove(claim(name));
        return made;
    }

    ClaimFinding found_on(const ClaimPlan& plan, std::uint32_t n) {
        const ClaimOutcome outcome = search_claims(plan, nodes_[n], objects, known, {});
        return outcome.verdict == Verdict::feasible ? ClaimFinding::fits
               : outcome.reason == kInvalidPools    ? ClaimFinding::meets_invalid_pools
                                                    : ClaimFinding::fails;
    }

    std::mt19937_64 random_{20'261};
    std::vector<NodeFacts> nodes_;
};

TEST_F(Shapes, remember_what_a_search_finds) {
    std::uint64_t remembered = 0, found = 0;
    for (int step = 0; step < kSteps; ++step) {
        change_something();
        const ClaimPlan plan = plan_for(step, below(2) == 0 ? "any" : "red", 1 + below(2));
        const std::shared_ptr<ClaimShape> shape = plan.shape.lock();
        ASSERT_NE(shape, nullptr);
        shape->catch_up(objects.shapes().changes());
        for (std::uint32_t look = 0; look < 20; ++look) {
            const std::uint32_t n = below(kNodes);
            const ClaimFinding now = found_on(plan, n);
            if (shape->at(Slot{n}) == ClaimFinding::not_known) {
                shape->note(Slot{n}, now);
                ++found;
            } else {
                ASSERT_EQ(shape->at(Slot{n}), now) << "node " << n << " at step " << step;
                ++remembered;
            }
            const bool failing = (shape->failing(block_of(Slot{n})) >> lane_of(Slot{n}) & 1) != 0;
            EXPECT_EQ(failing, now != ClaimFinding::fits);
        }
    }
    EXPECT_GT(remembered, found / 4);
    EXPECT_GT(found, 1'000u);
}

TEST_F(Shapes, differ_by_all_that_a_search_goes_by) {
    const auto shape = [&](std::string_view device_class, std::int64_t count) {
        return plan_for(0, device_class, count).shape.lock();
    };
    EXPECT_EQ(shape("any", 1), shape("any", 1));
    EXPECT_NE(shape("any", 1), shape("any", 2));
    EXPECT_NE(shape("any", 1), shape("red", 1));
    const auto with_constraint = [&](std::string_view attribute) {
        ResourceClaim made = claim("c", {request(demand("r", 2))});
        made.constraints.push_back({{}, text(attribute)});
        pod.resource_claims.claims.clear();
        needs(made);
        return plan().shape.lock();
    };
    EXPECT_NE(with_constraint("a.io/color"), shape("any", 2));
    EXPECT_NE(with_constraint("a.io/color"), with_constraint("a.io/shape"));
    const auto with_kind = [&](std::string_view kind) {
        ResourceClaim made = claim("c", {request(demand("r", 2))});
        made.requests[0].kind = text(kind);
        pod.resource_claims.claims.clear();
        needs(made);
        return plan().shape.lock();
    };
    EXPECT_NE(with_kind("example.com/gpu"), shape("any", 2));
    EXPECT_NE(with_kind("example.com/gpu"), with_kind("example.com/nic"));
    EXPECT_EQ(with_kind("example.com/nic"), with_kind("example.com/nic"));
}

}  // namespace
}  // namespace bayplan::testing
