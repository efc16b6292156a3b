// Prioritised lists, backtracking, and how much of it there may be.
#include <gtest/gtest.h>

#include "tests/claims/claims_world.h"

namespace bayplan::testing {
namespace {

class Alternatives : public ::testing::Test, protected ClaimsWorld {
protected:
    Alternatives() {
        state_class("any");
        state_class("none", {"false"});
        state_class("red", {"device.attributes[\"a.io\"].color == \"red\""});
    }
};

TEST_F(Alternatives, the_first_that_lets_the_rest_succeed_and_its_score) {
    objects.apply(slice("s", {device("b", "blue"), device("r", "red")}));
    const DeviceRequest list = first_of("q", {demand("no", 1, "none"), demand("red", 1, "red"), demand("any")});
    needs(claim("c", {list}));
    EXPECT_EQ(said(), "@c q/red a.io s r");
    EXPECT_EQ(search().score, 7);
    objects.apply(claim("c", {list, request(demand("x", 1, "red"))}));
    EXPECT_EQ(said(), "@c q/any a.io s b,@c x a.io s r");
    EXPECT_EQ(search().score, 6);
    EXPECT_TRUE(plan().scored);
    objects.apply(claim("c", {list, list}));
    EXPECT_EQ(said(), "@c q/red a.io s r,@c q/any a.io s b");
    EXPECT_EQ(search().score, 13);
}

TEST_F(Alternatives, earlier_claims_are_tried_anew) {
    objects.apply(slice("s", {device("r", "red"), device("b", "blue")}));
    needs(claim("c", {request(demand("x"))}));
    needs(claim("d", {request(demand("y", 1, "red"))}));
    EXPECT_EQ(said(), "@c x a.io s b,@d y a.io s r");
}

TEST_F(Alternatives, an_alternative_that_makes_a_claim_too_large_is_passed_over) {
    objects.apply(slice("s", devices(60)));
    needs(claim("c", {request(demand("x", 20)), first_of("y", {demand("big", 20), demand("small", 12)})}));
    EXPECT_EQ(search().allocations.front().devices.size(), 32u);
    EXPECT_EQ(search().score, 7);
    // As well if the request that is too many comes after it and has no alternatives.
    objects.apply(claim("c", {first_of("y", {demand("big", 20), demand("small", 12)}), request(demand("x", 20))}));
    EXPECT_EQ(search().allocations.front().devices.size(), 32u);
    EXPECT_EQ(search().score, 7);
}

TEST_F(Alternatives, mode_all_goes_on_in_the_first_with_kubernetes_1_35) {
    objects.apply(slice("s", devices(3)));
    needs(claim("c", {first_of("q", {demand("one", 1, "none"), all("every")})}));
    EXPECT_EQ(said(), "@c q/every a.io s d0,@c q/every a.io s d1,@c q/every a.io s d2");
    quirks = true;
    EXPECT_EQ(said(), "@c q/every a.io s d0");
    objects.apply(claim("c", {first_of("q", {demand("two", 2, "none"), all("every")})}));
    EXPECT_EQ(said(), kNone);
    // By positions: the first of all devices must be left to it.
    objects.apply(claim("c", {request(demand("x")), first_of("q", {demand("one", 1, "none"), all("every")})}));
    EXPECT_EQ(said(), "@c x a.io s d1,@c q/every a.io s d0");
    quirks = false;
    EXPECT_EQ(said(), kNone);
}

TEST_F(Alternatives, a_device_more_than_there_are_like_ones_fails_at_once) {
    std::vector<SliceDevice> made;
    for (int at = 0; at < 31; ++at) {  // names and uuids differ: no selector and no constraint asks for them
        made.push_back(device("d" + std::to_string(at), at % 2 == 0 ? "red" : "blue"));
        made.back().attributes.push_back({text("uuid"), AttributeType::text, text("u" + std::to_string(at)), 0});
    }
    objects.apply(slice("s", made));
    DeviceConstraint same;
    same.attribute = text("a.io/color");
    ResourceClaim asked = claim("c", {request(demand("r", 17)), request(demand("t", 1))});
    asked.constraints.push_back(same);
    needs(asked);
    EXPECT_EQ(said(), kNone);
    // Had the search been given up, the solution behind all the failures were not found.
    needs(claim("d", {request(demand("last", 1))}));
    asked.requests = {request(demand("r", 14)), request(demand("t", 1))};
    asked.constraints.push_back(same);
    objects.apply(asked);
    std::vector<SliceDevice> late = {device("g0", "green"), device("g1", "green")};
    objects.apply(slice("z", late));
    objects.apply(claim("d", {request(demand("x", 17)), request(demand("y", 1))}));
    EXPECT_EQ(search().allocations.back().devices.size(), 18u);
}

TEST_F(Alternatives, what_lies_behind_many_failures_is_found) {
    // 12 reds first: taking a red for x leaves too few for y, and all reds are alike; blues come last.
    std::vector<SliceDevice> made = devices(12, "red");
    for (int at = 0; at < 6; ++at) {
        made.push_back(device("b" + std::to_string(at), "blue"));
    }
    for (SliceDevice& one : made) {
        one.attributes.push_back({text("uuid"), AttributeType::text, one.name, 0});
    }
    objects.apply(slice("s", made));
    needs(claim("c", {request(demand("x", 6)), request(demand("y", 12, "red"))}));
    const ClaimOutcome outcome = search();
    ASSERT_EQ(outcome.verdict, Verdict::feasible);
    EXPECT_EQ(outcome.allocations.front().devices.front().device, text("b0"));
}

TEST_F(Alternatives, a_search_without_symmetry_ends_too) {
    // For administrators each device is a kind of its own: the bound ends it.
    objects.apply(slice("s", devices(24, "red")));
    DeviceDemand admin = demand("r", 25);
    admin.admin_access = true;
    needs(claim("c", {request(admin)}));
    EXPECT_EQ(said(), kNone);
}

TEST_F(Alternatives, demands_that_no_server_would_accept_end_at_once) {
    std::vector<DeviceRequest> many;
    for (int at = 0; at < 32; ++at) {
        const std::string name = "r" + std::to_string(at);
        many.push_back(first_of(name, std::vector<DeviceDemand>(8, demand("a", at % 2 == 0 ? 0 : -1))));
    }
    many.push_back(request(demand("last")));
    needs(claim("c", many));
    EXPECT_EQ(said(), kNone);
    objects.apply(claim("c", {DeviceRequest{text("r"), {}, false}}));
    EXPECT_EQ(said(), kNone);
}

}  // namespace
}  // namespace bayplan::testing
