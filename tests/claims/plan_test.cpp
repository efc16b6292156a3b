// Findings ahead of the nodes, in Kubernetes' words, and their order.
#include <gtest/gtest.h>

#include "tests/claims/claims_world.h"

namespace bayplan::testing {
namespace {

class Plan : public ::testing::Test, protected ClaimsWorld {
protected:
    Plan() { state_class("any"); }

    void expect_gated(std::string_view reason) {
        const ClaimPlan made = plan();
        EXPECT_EQ(made.reason, reason);
        EXPECT_EQ(made.whole, Verdict::unresolvable);
        EXPECT_TRUE(made.not_queued);
        EXPECT_TRUE(made.to_allocate.empty());
    }
    void expect_refused(std::string_view reason) {
        const ClaimPlan made = plan();
        EXPECT_EQ(made.reason, reason);
        EXPECT_EQ(made.whole, Verdict::unresolvable);
        EXPECT_FALSE(made.not_queued);
    }
};

TEST_F(Plan, an_entry_without_a_source) {
    use("", ClaimSource::unset);
    expect_gated("pod \"ns/pod\", spec.resourceClaim \"entry\": none of the supported fields are set");
}

TEST_F(Plan, a_claim_not_made_yet) {
    use("", ClaimSource::not_made);
    expect_gated("pod \"ns/pod\": ResourceClaim not created yet");
}

TEST_F(Plan, a_claim_that_is_missing) {
    use("c");
    expect_gated("could not find ResourceClaim \"ns/c\"");
    objects.apply(claim("c"));
    EXPECT_EQ(plan().whole, Verdict::feasible);
    objects.remove(claim("c"));
    expect_gated("could not find ResourceClaim \"ns/c\"");
}

TEST_F(Plan, a_claim_of_another_namespace_is_another) {
    ResourceClaim other = claim("c");
    other.name_space = text("elsewhere");
    objects.apply(other);
    use("c");
    expect_gated("could not find ResourceClaim \"ns/c\"");
}

TEST_F(Plan, a_claim_being_deleted_even_if_allocated) {
    ResourceClaim made = claim("c");
    made.deleting = true;
    made.allocation = allocation({"d"});
    needs(made);
    expect_gated("resourceclaim \"c\" is being deleted");
}

TEST_F(Plan, only_a_claim_from_a_template_must_be_owned) {
    ResourceClaim made = claim("c");
    made.owner_uid = text("another");
    objects.apply(made);
    use("c", ClaimSource::made);
    expect_gated("ResourceClaim ns/c was not created for pod ns/pod (pod is not owner)");
    made.owner_uid = text("uid");
    objects.apply(made);
    EXPECT_EQ(plan().whole, Verdict::feasible);
    made.owner_uid = text("another");
    objects.apply(made);
    pod.resource_claims.claims.front().source = ClaimSource::named;
    EXPECT_EQ(plan().whole, Verdict::feasible);
}

TEST_F(Plan, the_first_entry_that_fails_counts) {
    needs(claim("fine", {request(demand("r", 1, "missing"))}));
    use("gone");
    use("", ClaimSource::not_made);
    expect_gated("could not find ResourceClaim \"ns/gone\"");
}

TEST_F(Plan, a_class_that_is_missing) {
    needs(claim("c", {request(demand("r")), request(demand("q", 1, "missing"))}));
    expect_refused("request q: device class missing does not exist");
    state_class("missing");
    EXPECT_EQ(plan().whole, Verdict::feasible);
}

TEST_F(Plan, a_class_of_an_alternative_that_is_missing) {
    needs(claim("c", {first_of("r", {demand("one"), demand("two", 1, "missing")})}));
    expect_refused("request r/two: device class missing does not exist");
}

TEST_F(Plan, an_allocated_claim_needs_no_class) {
    ResourceClaim made = claim("c", {request(demand("r", 1, "missing"))});
    made.allocation = allocation({"d"});
    needs(made);
    const ClaimPlan planned = plan();
    EXPECT_EQ(planned.whole, Verdict::feasible);
    EXPECT_EQ(planned.allocated.size(), 1u);
    EXPECT_TRUE(planned.to_allocate.empty());
}

TEST_F(Plan, errors_are_looked_for_only_where_there_may_be_some) {
    objects.apply(slice("s", {device("red", "red"), device("bare")}));
    needs(claim("c", {request(demand("r"))}));
    EXPECT_FALSE(plan().may_err);
    state_class("any", {"device.attributes[\"a.io\"].color == \"red\""});
    EXPECT_TRUE(plan().may_err);  // of the device without a colour
    objects.apply(slice("s", {device("red", "red")}));
    EXPECT_FALSE(plan().may_err);
    state_class("any", {"device."});
    EXPECT_TRUE(plan().may_err);
    state_class("any");
    objects.apply(claim("c", {request(all("r"))}));
    EXPECT_TRUE(plan().may_err);
    objects.apply(claim("c", {request(demand("r", 33))}));
    EXPECT_TRUE(plan().may_err);
    objects.apply(claim("c", {request(demand("r", 32))}));
    EXPECT_FALSE(plan().may_err);
}

}  // namespace
}  // namespace bayplan::testing
