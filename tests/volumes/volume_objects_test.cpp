// The store of storage objects: what it gives back, what placements assume, versions.

#include <gtest/gtest.h>

#include "tests/volumes/storage_world.h"

namespace bayplan::testing {
namespace {

class Objects : public ::testing::Test, protected StorageWorld {
protected:
    ClaimName named(std::string_view name) { return {text("ns"), text(name)}; }
    // The volume that a claim of the class would get on any node.
    const Volume* free_of(std::string_view storage_class) {
        return objects.free_volumes().smallest(claim("asks", storage_class), node("anywhere"), {});
    }
};

TEST_F(Objects, other_kinds_are_not_kept) {
    EXPECT_FALSE(objects.apply(Namespace{}));
    EXPECT_FALSE(objects.apply(PodSet{}));
    EXPECT_FALSE(objects.remove(PodBudget{}));
    EXPECT_EQ(objects.version(), 0u);
    EXPECT_TRUE(objects.apply(CsiDriver{text("d"), true}));
    EXPECT_EQ(objects.version(), 1u);
}

TEST_F(Objects, what_was_there_is_given_back) {
    std::optional<ClusterObject> before;
    objects.apply(volume("pv", "old"), &before);
    EXPECT_FALSE(before.has_value());
    objects.apply(volume("pv", "new"), &before);
    ASSERT_TRUE(before.has_value());
    EXPECT_EQ(std::get<Volume>(*before).storage_class, text("old"));
    EXPECT_EQ(free_of("old"), nullptr);
    ASSERT_NE(free_of("new"), nullptr);
    before.reset();
    EXPECT_TRUE(objects.remove(volume("pv", "whatever"), &before));
    ASSERT_TRUE(before.has_value());
    EXPECT_EQ(std::get<Volume>(*before).storage_class, text("new"));
    EXPECT_EQ(free_of("new"), nullptr);
    EXPECT_EQ(objects.volume(text("pv")), nullptr);
    before.reset();
    objects.remove(volume("pv"), &before);
    EXPECT_FALSE(before.has_value());
}

TEST_F(Objects, lists_follow_what_is_stated_anew) {
    objects.apply(VolumeAttachment{text("a"), text("d"), text("n1"), text("pv")});
    objects.apply(VolumeAttachment{text("a"), text("d"), text("n2"), text("pv")});
    EXPECT_TRUE(objects.attachments_of_node(text("n1")).empty());
    EXPECT_EQ(objects.attachments_of_node(text("n2")).size(), 1u);
    CsiCapacity capacity;
    capacity.name = text("c");
    capacity.storage_class = text("one");
    objects.apply(capacity);
    capacity.storage_class = text("two");
    objects.apply(capacity);
    EXPECT_TRUE(objects.capacities_of_class(text("one")).empty());
    EXPECT_EQ(objects.capacities_of_class(text("two")).size(), 1u);
    objects.remove(capacity);
    EXPECT_TRUE(objects.capacities_of_class(text("two")).empty());
}

TEST_F(Objects, a_plan_keeps_what_it_was_made_of) {
    state(volume_at("pv", "r1"));
    state(bound_claim("data", "pv"));
    use_claim("data");
    const VolumePlan made = plan();
    objects.remove(volume("pv"));
    EXPECT_FALSE(judge(VolumePredicate::binding, made, node("n", {{"rack", "r1"}}), used, objects, known, texts));
    EXPECT_TRUE(judge(VolumePredicate::binding, made, node("n", {{"rack", "r2"}}), used, objects, known, texts));
}

TEST_F(Objects, an_assumed_volume_is_the_claims) {
    state(waiting_class("wait", "kubernetes.io/no-provisioner"));
    state(volume_at("pv", "r1"));
    state(claim("data"));
    state(claim("other"));
    use_claim("data");
    const NodeFacts r1 = node("n1", {{"rack", "r1"}});
    const NodeFacts r2 = node("n2", {{"rack", "r2"}});
    const auto taken = bindings_at(plan(), r1, objects, known, texts);
    ASSERT_EQ(taken.size(), 1u);
    const std::uint64_t version = objects.version();
    objects.assume(taken);
    EXPECT_GT(objects.version(), version);
    EXPECT_EQ(objects.claim(named("data"))->volume, text("pv"));
    EXPECT_EQ(judged(r1), "");
    EXPECT_EQ(judged(r2), "VolumeBinding (UU): node(s) didn't match PersistentVolume's node affinity") << "it is bound";
    EXPECT_EQ(bindings(r1), "");
    pod.volumes.clear();
    use_claim("other");
    EXPECT_EQ(judged(r1), "VolumeBinding (UU): node(s) didn't find available persistent volumes to bind");

    objects.forget(taken);
    EXPECT_EQ(bindings(r1), "other=pv");
    EXPECT_EQ(objects.claim(named("data"))->volume, 0u);
    objects.forget(taken);
    EXPECT_EQ(bindings(r1), "other=pv") << "what was not assumed is passed over";
}

TEST_F(Objects, an_assumption_outlives_objects_that_say_nothing_of_it) {
    state(volume("pv"));
    state(claim("data"));
    const ClaimBinding binding{named("data"), text("pv")};
    objects.assume(std::span(&binding, 1));
    VolumeClaim again = claim("data");
    again.bytes = kGib;
    state(again);
    state(volume("pv"));
    EXPECT_EQ(objects.claim(named("data"))->volume, text("pv"));
    EXPECT_TRUE(objects.claim(named("data"))->bind_completed);
    EXPECT_EQ(objects.claim(named("data"))->bytes, kGib);
    EXPECT_EQ(objects.volume(text("pv"))->claim, text("data"));
    EXPECT_EQ(free_of("wait"), nullptr) << "it is somebody's";
    EXPECT_EQ(objects.volumes_of_claim(named("data")).size(), 1u);

    std::optional<ClusterObject> before;
    objects.apply(bound_claim("data", "another"), &before);
    EXPECT_EQ(std::get<VolumeClaim>(*before).volume, 0u) << "what was stated comes back, not what was assumed";
    EXPECT_EQ(objects.claim(named("data"))->volume, text("another")) << "what the objects say goes before";
    Volume of_another = volume("pv");
    of_another.claim = text("stranger");
    of_another.claim_namespace = text("ns");
    state(of_another);
    EXPECT_EQ(objects.volume(text("pv"))->claim, text("stranger"));
}

TEST_F(Objects, of_several_assumptions_the_first_counts) {
    state(volume("pv"));
    state(claim("a"));
    state(claim("b"));
    const ClaimBinding bindings[] = {{named("b"), text("pv")}, {named("a"), text("pv")}, {named("a"), text("pv2")}};
    objects.assume(bindings);
    EXPECT_EQ(objects.volume(text("pv"))->claim, text("b"));
    EXPECT_EQ(objects.claim(named("a"))->volume, text("pv"));
    objects.forget(std::span(bindings, 1));
    EXPECT_EQ(objects.volume(text("pv"))->claim, text("a"));
    EXPECT_EQ(objects.claim(named("b"))->volume, 0u);
    objects.forget(std::span(bindings + 1, 1));
    EXPECT_EQ(objects.volume(text("pv"))->claim, 0u);
    EXPECT_EQ(objects.claim(named("a"))->volume, text("pv2"));
    objects.forget(std::span(bindings + 2, 1));
    EXPECT_EQ(objects.claim(named("a"))->volume, 0u);
}

TEST_F(Objects, uses_of_claims_are_counted) {
    const ClaimName claims[] = {named("a"), named("b")};
    objects.add_pod_claims(claims);
    const std::uint64_t version = objects.use_version();
    objects.add_pod_claims(std::span(claims, 1));
    EXPECT_EQ(objects.use_version(), version) << "only from and to none";
    EXPECT_EQ(objects.pods_using(named("a")), 2u);
    EXPECT_EQ(objects.pods_using(named("b")), 1u);
    objects.remove_pod_claims(claims);
    EXPECT_GT(objects.use_version(), version);
    EXPECT_EQ(objects.pods_using(named("a")), 1u);
    EXPECT_EQ(objects.pods_using(named("b")), 0u);
    EXPECT_EQ(objects.pods_using({text("other"), text("a")}), 0u);
}

}  // namespace
}  // namespace bayplan::testing
