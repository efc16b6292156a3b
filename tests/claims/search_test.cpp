// The search of one node, case by case: pools, modes, constraints, texts.
#include <gtest/gtest.h>

#include "tests/claims/claims_world.h"

namespace bayplan::testing {
namespace {

constexpr std::string_view kRed = "device.attributes[\"a.io\"].color == \"red\"";

class Search : public ::testing::Test, protected ClaimsWorld {
protected:
    Search() { state_class("any"); }

    void in_use(std::initializer_list<std::string_view> names, bool admin = false) {
        ResourceClaim other = claim("other");
        other.allocation = allocation(names);
        for (AllocatedDevice& one : other.allocation->devices) {
            one.admin_access = admin;
        }
        objects.apply(other);
    }
    void needs_one() { needs(claim("c", {request(demand("r"))})); }
    static std::string error(std::string_view text) { return std::string(kErrorPrefix) + std::string(text); }
};

TEST_F(Search, devices_come_as_their_slice_has_them) {
    objects.apply(slice("s", {device("z"), device("a")}));
    needs(claim("c", {request(demand("r", 2))}));
    EXPECT_EQ(said(), "@c r a.io s z,@c r a.io s a");
    EXPECT_EQ(said(node("m")), kNone);
}

TEST_F(Search, a_refusal_is_unresolvable_and_no_error) {
    needs_one();
    const ClaimOutcome outcome = search();
    EXPECT_EQ(outcome.verdict, Verdict::unresolvable);
    EXPECT_FALSE(outcome.is_error);
    EXPECT_EQ(outcome.reason, kNone);
}

TEST_F(Search, pools_come_in_byte_order) {
    objects.apply(slice("t", {device("d")}));
    objects.apply(slice("s", {device("d")}));
    ResourceSlice first = slice("u", {device("d")});
    first.driver = text("A.io");
    objects.apply(first);
    needs(claim("c", {request(demand("r", 3))}));
    EXPECT_EQ(said(), "@c r A.io u d,@c r a.io s d,@c r a.io t d");
}

TEST_F(Search, a_device_in_use_is_free_when_its_claim_is_gone_or_for_administrators) {
    objects.apply(slice("s", devices(1)));
    needs_one();
    in_use({"d0"});
    EXPECT_EQ(said(), kNone);
    in_use({"d0"}, true);
    EXPECT_EQ(said(), "@c r a.io s d0");
    in_use({"d0"});
    objects.remove(claim("other"));
    EXPECT_EQ(said(), "@c r a.io s d0");
}

TEST_F(Search, slices_of_all_and_of_selected_nodes) {
    ResourceSlice everywhere = slice("s", devices(1));
    everywhere.reach = SliceReach::all_nodes;
    objects.apply(everywhere);
    needs_one();
    EXPECT_EQ(said(node("m")), "@c r a.io s d0");
    EXPECT_FALSE(search(node("m")).allocations.front().nodes.has_value());
    everywhere.reach = SliceReach::selected_nodes;
    everywhere.nodes.labels.push_back(requirement("zone", LabelOperator::in, {"z"}));
    objects.apply(everywhere);
    EXPECT_EQ(said(node("m")), kNone);
    EXPECT_EQ(said(node("m", {{"zone", "z"}})), "@c r a.io s d0");
    EXPECT_EQ(search(node("m", {{"zone", "z"}})).allocations.front().nodes, std::vector<NodeTerm>{everywhere.nodes});
    everywhere.reach = SliceReach::nowhere;
    objects.apply(everywhere);
    EXPECT_EQ(said(node("m", {{"zone", "z"}})), kNone);
}

TEST_F(Search, a_device_of_one_node_ties_the_claim_to_it) {
    ResourceSlice everywhere = slice("a", devices(1));
    everywhere.reach = SliceReach::all_nodes;
    objects.apply(everywhere);
    objects.apply(slice("s", devices(1)));
    needs(claim("c", {request(demand("r", 2))}));
    NodeTerm term;
    term.fields.push_back(requirement("metadata.name", LabelOperator::in, {"n"}));
    EXPECT_EQ(search().allocations.front().nodes, std::vector<NodeTerm>{term});
}

TEST_F(Search, the_newest_generation_of_the_visible_slices_counts) {
    ResourceSlice old = slice("s1", {device("old")});
    ResourceSlice young = slice("s2", {device("young")});
    old.pool = young.pool = text("s");
    young.generation = 2;
    objects.apply(old);
    objects.apply(young);
    needs_one();
    EXPECT_EQ(said(), "@c r a.io s young");
    young.node = text("m");  // the old one is complete in itself
    objects.apply(young);
    EXPECT_EQ(said(), "@c r a.io s old");
    old.pool_slices = 2;  // part of an old generation: the pool is nowhere
    objects.apply(old);
    EXPECT_EQ(said(), kNone);
}

TEST_F(Search, an_incomplete_pool_gives_nothing) {
    ResourceSlice half = slice("s", devices(1));
    half.pool_slices = 2;
    objects.apply(half);
    needs_one();
    EXPECT_EQ(said(), kNone);
    ResourceSlice other = half;  // the other half is seen by no node, but it counts
    other.name = text("t");
    other.hidden = true;
    objects.apply(other);
    EXPECT_EQ(said(), "@c r a.io s d0");
    other.name = text("u");
    objects.apply(other);
    EXPECT_EQ(said(), kNone);
}

TEST_F(Search, an_invalid_pool_is_told_of_where_there_is_no_solution) {
    objects.apply(slice("s", {device("d"), device("d")}));
    needs_one();
    EXPECT_EQ(said(), "invalid resource pools were encountered");
    objects.apply(slice("t", devices(1)));
    EXPECT_EQ(said(), "@c r a.io t d0");
}

TEST_F(Search, withheld_devices_are_never_given) {
    SliceDevice one = device("d");
    one.withheld = true;
    objects.apply(slice("s", {one}));
    needs_one();
    EXPECT_EQ(said(), kNone);
}

TEST_F(Search, selectors_of_the_class_come_first_and_stop_at_the_first_false) {
    objects.apply(slice("s", {device("d")}));
    state_class("any", {"true", "false", kRed});
    needs_one();
    EXPECT_EQ(said(), kNone);
    state_class("any", {"true", kRed, "false"});
    EXPECT_EQ(said(), error("class any: selector #1: CEL runtime error: no such key: color"));
    state_class("any", {"false"});
    DeviceDemand own = demand("r");
    own.selectors = list({kRed});
    objects.apply(claim("c", {request(own)}));
    EXPECT_EQ(said(), kNone);
    state_class("any");
    EXPECT_EQ(said(), error("claim ns/c: selector #0: CEL runtime error: no such key: color"));
    EXPECT_TRUE(search().is_error);
}

TEST_F(Search, a_selector_is_not_asked_of_devices_that_nobody_gets_to) {
    objects.apply(slice("s", {device("good", "red"), device("bad")}));
    state_class("any", {kRed});
    needs_one();
    EXPECT_EQ(said(), "@c r a.io s good");
    in_use({"bad"});
    objects.apply(claim("c", {request(demand("r", 2))}));
    EXPECT_EQ(said(), kNone);
    objects.apply(claim("c", {request(all("r"))}));  // mode All asks of devices in use too
    EXPECT_EQ(said(), error("class any: selector #0: CEL runtime error: no such key: color"));
}

TEST_F(Search, mode_all_takes_all_or_nothing) {
    objects.apply(slice("s", devices(2)));
    objects.apply(slice("t", devices(1)));
    needs(claim("c", {request(all("r"))}));
    EXPECT_EQ(said(), "@c r a.io s d0,@c r a.io s d1,@c r a.io t d0");
    in_use({"d1"});
    EXPECT_EQ(said(), kNone);
    EXPECT_EQ(said(node("m")), kNone);  // there are none at all
}

TEST_F(Search, mode_all_wants_whole_pools) {
    objects.apply(slice("s", devices(1)));
    ResourceSlice half = slice("t", devices(1));
    half.driver = text("b.io");
    half.pool_slices = 2;
    objects.apply(half);
    needs(claim("c", {first_of("r", {demand("one"), all("two")})}));
    EXPECT_EQ(said(), error("claim ns/c, request two: asks for all devices, but resource pool b.io/t is currently "
                            "being updated"));
    half.pool_slices = 1;
    half.devices.push_back(half.devices.front());
    objects.apply(half);
    EXPECT_EQ(said(),
              error("claim ns/c, request two: asks for all devices, but resource pool b.io/t is currently invalid"));
}

TEST_F(Search, a_claim_asks_for_32_devices_at_most) {
    objects.apply(slice("s", devices(40)));
    needs(claim("c", {request(demand("a", 20)), request(demand("b", 12))}));
    EXPECT_EQ(search().allocations.front().devices.size(), 32u);
    objects.apply(claim("c", {request(demand("a", 5)), request(demand("b", 100))}));
    EXPECT_EQ(said(), error("claim ns/c: number of requested devices 105 exceeds the claim limit of 32"));
    objects.apply(claim("c", {request(demand("a", 100)), request(demand("b", 5))}));
    EXPECT_EQ(said(), error("claim ns/c: number of requested devices 105 exceeds the claim limit of 32"));
    objects.apply(claim("c", {request(all("a"))}));
    EXPECT_EQ(said(), error("claim ns/c: number of requested devices 40 exceeds the claim limit of 32"));
}

TEST_F(Search, constraints_compare_type_and_value) {
    DeviceConstraint same;
    same.attribute = text("a.io/color");
    ResourceClaim made = claim("c", {request(demand("r", 2))});
    made.constraints.push_back(same);
    needs(made);
    objects.apply(slice("s", {device("bare"), device("red", "red"), device("blue", "blue")}));
    EXPECT_EQ(said(), kNone);
    SliceDevice version = device("v", "red");
    version.attributes.front().type = AttributeType::version;
    objects.apply(slice("t", {version}));
    EXPECT_EQ(said(), kNone);
    SliceDevice whole = device("w", "blue");
    whole.attributes.front().name = text("a.io/color");
    objects.apply(slice("u", {whole}));
    EXPECT_EQ(said(), "@c r a.io s blue,@c r a.io u w");
    made.requests.front().demands.front().count = 1;
    objects.apply(made);
    objects.apply(slice("s", {device("bare")}));  // cannot be taken, even alone
    objects.remove(slice("t", {}));
    objects.remove(slice("u", {}));
    EXPECT_EQ(said(), kNone);
}

TEST_F(Search, a_constraint_of_some_requests) {
    DeviceConstraint same;
    same.attribute = text("a.io/color");
    ResourceClaim made = claim("c", {request(demand("x")), first_of("y", {demand("one"), demand("two")})});
    made.constraints.push_back(same);
    objects.apply(slice("s", {device("red", "red"), device("blue", "blue")}));
    needs(made);
    EXPECT_EQ(said(), kNone);
    made.constraints.front().requests = list({"x", "y/two"});
    objects.apply(made);
    EXPECT_EQ(said(), "@c x a.io s red,@c y/one a.io s blue");
    made.constraints.front().requests = list({"x", "y/one"});
    objects.apply(made);
    EXPECT_EQ(said(), "@c x a.io s red,@c y/two a.io s blue");
}

TEST_F(Search, mode_all_with_a_constraint_that_fails_is_an_error) {
    DeviceConstraint same;
    same.attribute = text("a.io/color");
    ResourceClaim made = claim("c", {request(all("r"))});
    made.constraints.push_back(same);
    objects.apply(slice("s", {device("red", "red"), device("blue", "blue")}));
    needs(made);
    EXPECT_EQ(said(), error("claim ns/c, request r: cannot add device a.io/s/blue because a claim constraint would not "
                            "be satisfied"));
    in_use({"red"});
    EXPECT_EQ(said(), kNone);
}

TEST_F(Search, administrators_look_past_use_but_block_what_comes_later) {
    objects.apply(slice("s", devices(1)));
    in_use({"d0"});
    DeviceDemand admin = demand("r");
    admin.admin_access = true;
    needs(claim("c", {request(admin)}));
    EXPECT_EQ(said(), "@c r a.io s d0 admin");
    EXPECT_TRUE(search().allocations.front().devices.front().admin_access);
    objects.remove(claim("other"));
    DeviceDemand twice = admin;
    twice.count = 2;
    objects.apply(claim("c", {request(twice)}));  // not twice in one claim
    EXPECT_EQ(said(), kNone);
    objects.apply(claim("c", {request(admin)}));
    needs(claim("later", {request(demand("q"))}));
    EXPECT_EQ(said(), kNone);
    objects.apply(claim("c", {request(demand("r"))}));  // an ordinary request, then one for administrators
    objects.apply(claim("later", {request(admin)}));
    EXPECT_EQ(said(), "@c r a.io s d0,@later r a.io s d0 admin");
}

TEST_F(Search, an_allocated_claim_binds_to_its_nodes) {
    ResourceClaim made = claim("c");
    made.allocation = allocation({"d"});
    made.allocation->nodes =
        std::vector<NodeTerm>{{.labels = {requirement("zone", LabelOperator::in, {"z"})}, .fields = {}}};
    needs(made);
    EXPECT_EQ(said(node("n", {{"zone", "z"}})), "");
    EXPECT_EQ(said(), kClaimNotAvailable);
    EXPECT_TRUE(search().unavailable);
    needs(claim("open", {request(demand("r"))}));  // of the two findings this one is told
    EXPECT_EQ(said(), kNone);
    EXPECT_FALSE(search().unavailable);
}

TEST_F(Search, a_request_for_a_kind_takes_nothing_where_the_node_states_some) {
    objects.apply(slice("s", devices(2)));
    DeviceRequest of_kind = request(demand("r"));
    of_kind.kind = text("example.com/gpu");
    needs(claim("c", {of_kind, request(demand("q"))}));
    NodeFacts with_some = node("n");
    with_some.kinds = {text("example.com/gpu")};
    EXPECT_EQ(said(), "@c r a.io s d0,@c q a.io s d1");
    EXPECT_EQ(said(with_some), "@c q a.io s d0");
    NodeFacts with_another = node("n");
    with_another.kinds = {text("example.com/nic")};
    EXPECT_EQ(said(with_another), "@c r a.io s d0,@c q a.io s d1");
    DeviceRequest all_of_it = request(all("r"));
    all_of_it.kind = of_kind.kind;
    DeviceRequest too_many = request(demand("q", 33));
    too_many.kind = of_kind.kind;
    objects.apply(claim("c", {all_of_it, too_many}));
    EXPECT_EQ(said(with_some), "") << "however many it is for";
    EXPECT_EQ(said(), error("claim ns/c: number of requested devices 35 exceeds the claim limit of 32"));
}

}  // namespace
}  // namespace bayplan::testing
