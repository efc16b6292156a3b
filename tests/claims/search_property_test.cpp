// Small worlds at random: the product and the literal search say the same of each node.
#include <random>

#include <gtest/gtest.h>

#include "tests/claims/literal_search.h"

namespace bayplan::testing {
namespace {

class Maker : public ClaimsWorld {
public:
    explicit Maker(std::uint32_t seed) : random_(seed) {}

    LiteralWorld literal;

    void make() {
        literal.quirks = quirks = chance(50);
        const int selected = pick(5);
        for (int at = 0; at < 2; ++at) {
            DeviceClass made{text("class" + std::to_string(at)), {}};
            for (int left = pick(3); left > 0; --left) {
                made.selectors.push_back(selector(at == 0 ? 0 : selected));
            }
            objects.apply(made);
            literal.classes.emplace(made.name, made);
        }
        for (int at = 0, count = 1 + pick(4); at < count; ++at) {
            literal.slices.push_back(random_slice(at));
        }
        for (int at = 0, count = pick(3); at < count; ++at) {
            ResourceClaim other = claim("other" + std::to_string(at));
            other.allocation = random_allocation();
            literal.others.push_back(other);
        }
        for (int at = 0, count = 1 + pick(3); at < count; ++at) {
            literal.claims.push_back(random_claim(at));
        }
        state();
    }

private:
    int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint32_t>(below)); }
    bool chance(int percent) { return pick(100) < percent; }

    // Mostly a selector that cannot fail.
    Text selector(int kind) {
        const std::size_t harmless[] = {0, 2, 4};
        return text(chance(kind == 0 ? 100 : 60) ? kSelectors[harmless[pick(3)]]
                                                 : kSelectors[static_cast<std::size_t>(pick(6))]);
    }

    ResourceSlice random_slice(int number) {
        ResourceSlice made = slice("slice" + std::to_string(number), {});
        made.driver = text(chance(70) ? "a.io" : "b.io");
        made.pool = text(chance(60) ? "s" : "t");
        made.generation = chance(80) ? 2 : 1 + pick(3);
        made.pool_slices = chance(70) ? 1 : 1 + pick(3);
        made.hidden = chance(5);
        const int reach = pick(10);
        made.reach = reach < 5   ? SliceReach::node
                     : reach < 7 ? SliceReach::selected_nodes
                     : reach < 9 ? SliceReach::all_nodes
                                 : SliceReach::nowhere;
        made.node = made.reach == SliceReach::node ? text(chance(80) ? "n" : "m") : 0;
        if (made.reach == SliceReach::selected_nodes) {
            made.nodes.labels.push_back(requirement("zone", LabelOperator::in, {chance(70) ? "here" : "there"}));
        }
        for (int at = 0, count = pick(4); at < count; ++at) {
            // Names of different slices rarely meet.
            SliceDevice one = device("d" + std::to_string(at + (chance(90) ? 3 * number : 0)));
            if (chance(75)) {
                one.attributes.push_back({text(chance(80) ? "color" : "a.io/color"), AttributeType::text,
                                          text(chance(60) ? "red" : "blue"), 0});
            }
            if (chance(85)) {
                one.attributes.push_back({text("numa"), AttributeType::number, 0, pick(2)});
            }
            one.withheld = chance(6);
            made.devices.push_back(one);
        }
        return made;
    }

    DeviceAllocation random_allocation() {
        DeviceAllocation made;
        for (const ResourceSlice& one : literal.slices) {
            for (const SliceDevice& device : one.devices) {
                if (chance(15)) {
                    made.devices.push_back({text("r"), one.driver, one.pool, device.name, chance(20)});
                }
            }
        }
        if (chance(50)) {
            NodeTerm term;
            term.labels.push_back(requirement("zone", LabelOperator::in, {chance(60) ? "here" : "there"}));
            made.nodes = std::vector<NodeTerm>{term};
        }
        return made;
    }

    DeviceDemand random_demand(const std::string& name) {
        DeviceDemand made = demand(name, chance(4) ? 20 + pick(20) : 1 + pick(2), chance(60) ? "class0" : "class1");
        made.all = chance(25);
        made.admin_access = chance(12);
        if (chance(25)) {
            made.selectors.push_back(selector(1));
        }
        return made;
    }

    ResourceClaim random_claim(int number) {
        ResourceClaim made = claim("claim" + std::to_string(number));
        for (int at = 0, count = 1 + pick(2); at < count; ++at) {
            const std::string name = "r" + std::to_string(at);
            if (chance(60)) {
                made.requests.push_back(request(random_demand(name)));
                continue;
            }
            std::vector<DeviceDemand> demands;
            for (int alternative = 0, alternatives = 1 + pick(3); alternative < alternatives; ++alternative) {
                demands.push_back(random_demand("alt" + std::to_string(alternative)));
            }
            made.requests.push_back(first_of(name, std::move(demands)));
        }
        if (chance(30)) {
            DeviceConstraint constraint;
            constraint.attribute = text(chance(50) ? "a.io/color" : "a.io/numa");
            if (chance(40)) {
                constraint.requests = list({chance(50) ? "r0" : "r1/alt0"});
            }
            made.constraints.push_back(constraint);
        }
        if (chance(12)) {
            made.allocation = random_allocation();
        }
        return made;
    }

    void state() {
        for (const ResourceSlice& one : literal.slices) {
            objects.apply(one);
        }
        for (const ResourceClaim& one : literal.others) {
            objects.apply(one);
        }
        for (const ResourceClaim& one : literal.claims) {
            needs(one);
        }
    }

    std::mt19937 random_;
};

// Counts of a run: it must have seen everything.
struct Seen {
    int allocated = 0;
    int refused = 0;
    int errors = 0;
    int unavailable = 0;
    int invalid = 0;
    int scored = 0;
};

void compare(std::uint32_t seed, Seen& seen) {
    Maker world(seed);
    world.make();
    const ClaimPlan plan = world.plan();
    ASSERT_EQ(plan.whole, Verdict::feasible);
    for (const bool here : {true, false}) {
        const NodeFacts facts = world.node(here ? "n" : "m", {{"zone", here ? "here" : "there"}});
        const ClaimOutcome got =
            search_claims(plan, facts, world.objects, world.known, {.all_goes_on_in_the_first = world.quirks});
        const LiteralOutcome want = literal_search(world.literal, facts, world.texts);
        const bool feasible = got.verdict == Verdict::feasible;
        ASSERT_EQ(feasible ? got.devices : got.reason, want.said) << "seed " << seed;
        ASSERT_EQ(got.is_error, want.is_error) << "seed " << seed;
        ASSERT_TRUE(!got.is_error || plan.may_err) << "seed " << seed;
        if (feasible) {
            ASSERT_EQ(got.score, want.score) << "seed " << seed;
            std::vector<std::string> nodes;
            for (const DeviceAllocation& one : got.allocations) {
                nodes.push_back(show_terms(one.nodes, world.texts));
            }
            ASSERT_EQ(nodes, want.nodes) << "seed " << seed;
        }
        seen.allocated += feasible && !got.devices.empty();
        seen.refused += got.reason == "cannot allocate all claims";
        seen.invalid += got.reason == "invalid resource pools were encountered";
        seen.errors += got.is_error;
        seen.unavailable += got.unavailable;
        seen.scored += got.score > 0;
    }
}

TEST(SearchProperty, says_what_the_literal_search_says) {
    Seen seen;
    for (std::uint32_t seed = 1; seed <= 20'000; ++seed) {
        compare(seed, seen);
        if (::testing::Test::HasFatalFailure()) {
            return;
        }
    }
    EXPECT_GT(seen.allocated, 500);
    EXPECT_GT(seen.refused, 500);
    EXPECT_GT(seen.errors, 200);
    EXPECT_GT(seen.unavailable, 30);
    EXPECT_GT(seen.invalid, 30);
    EXPECT_GT(seen.scored, 50);
}

}  // namespace
}  // namespace bayplan::testing
