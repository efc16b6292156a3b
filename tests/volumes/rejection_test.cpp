// Refusals of a pod as a whole: texts, order of claims, order of predicates.

#include <gtest/gtest.h>

#include "tests/volumes/storage_world.h"

namespace bayplan::testing {
namespace {

using enum VolumePredicate;

const std::string kUnbound = "VolumeBinding (UU): pod has unbound immediate PersistentVolumeClaims";

class Rejection : public ::testing::Test, protected StorageWorld {
protected:
    Rejection() {
        state(waiting_class("wait", "csi.example.com"));
        StorageClass immediate = waiting_class("now", "csi.example.com");
        immediate.wait_for_first_consumer = false;
        state(immediate);
        state(volume("pv"));
        state(bound_claim("bound", "pv"));
    }
    std::string without_binding() {
        return rejection(static_cast<std::uint8_t>(only(restrictions) | only(limits) | only(zone)));
    }
};

TEST_F(Rejection, pods_without_volumes_are_none_of_the_predicates_business) {
    EXPECT_TRUE(skips());
    EXPECT_EQ(rejection(), "");
    add(VolumeKind::csi, "").driver = text("csi.example.com");
    EXPECT_TRUE(skips()) << "an inline CSI volume counts for nothing";
}

TEST_F(Rejection, whom_a_pod_concerns) {
    use_claim("bound");
    EXPECT_FALSE(plan().concerns[static_cast<int>(restrictions)]);
    EXPECT_TRUE(plan().concerns[static_cast<int>(limits)]);
    EXPECT_TRUE(plan().concerns[static_cast<int>(binding)]);
    EXPECT_FALSE(plan().concerns[static_cast<int>(zone)]) << "the volume has no such label";
    EXPECT_TRUE(skips(only(zone)));
    EXPECT_FALSE(skips());
}

TEST_F(Rejection, a_missing_claim) {
    use_claim("bound");
    use_claim("nope");
    EXPECT_EQ(rejection(), "VolumeRestrictions (UU): persistentvolumeclaim \"nope\" not found");
    EXPECT_EQ(rejection(only(binding)), "VolumeBinding (UU): persistentvolumeclaim \"nope\" not found");
    EXPECT_EQ(rejection(only(zone)), "VolumeZone (UU): persistentvolumeclaim \"nope\" not found");
    EXPECT_EQ(rejection(only(limits)), "");
    EXPECT_EQ(judged(node("n"), only(limits)),
              "NodeVolumeLimits (UU): looking up PVC ns/nope: persistentvolumeclaim \"nope\" not found");
}

TEST_F(Rejection, a_claim_of_another_namespace_is_missing) {
    VolumeClaim elsewhere = bound_claim("data", "pv");
    elsewhere.name_space = text("other");
    state(elsewhere);
    use_claim("data");
    EXPECT_EQ(rejection(), "VolumeRestrictions (UU): persistentvolumeclaim \"data\" not found");
}

TEST_F(Rejection, an_ephemeral_claim_that_is_not_made_yet) {
    use_ephemeral("pod-1-scratch");
    EXPECT_EQ(rejection(),
              "VolumeBinding (UU): waiting for ephemeral volume controller to create the persistentvolumeclaim "
              "\"pod-1-scratch\"");
    EXPECT_EQ(without_binding(), "") << "VolumeRestrictions and VolumeZone look at claims named directly only";
}

TEST_F(Rejection, an_ephemeral_claim_of_another_pod) {
    VolumeClaim claim = bound_claim("pod-1-scratch", "pv");
    state(claim);
    use_ephemeral("pod-1-scratch");
    const std::string fault =
        "VolumeBinding (UU): PVC ns/pod-1-scratch was not created for pod ns/pod-1 (pod is not owner)";
    EXPECT_EQ(rejection(), fault) << "of nobody";
    claim.owner_pod = text("pod-2");
    state(claim);
    EXPECT_EQ(rejection(), fault);
    claim.owner_pod = text("pod-1");
    state(claim);
    EXPECT_EQ(rejection(), "");
}

TEST_F(Rejection, lost_deleted_and_unbound_claims) {
    VolumeClaim claim = StorageWorld::claim("data", "now");
    state(claim);
    use_claim("data");
    EXPECT_EQ(rejection(), kUnbound);
    EXPECT_EQ(without_binding(), "VolumeZone (UU): PersistentVolume had no name");
    claim.deleting = true;
    state(claim);
    EXPECT_EQ(rejection(), "VolumeBinding (UU): persistentvolumeclaim \"data\" is being deleted");
    claim.lost = true;
    claim.volume = text("pv-lost");
    state(claim);
    EXPECT_EQ(rejection(),
              "VolumeBinding (UU): persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"pv-lost\"");
}

TEST_F(Rejection, which_claims_are_unbound_and_immediate) {
    const auto said_of = [&](const VolumeClaim& claim) {
        state(claim);
        pod.volumes.clear();
        use_claim("data");
        return rejection(only(binding));
    };
    EXPECT_EQ(said_of(claim("data", "wait")), "");
    EXPECT_EQ(said_of(claim("data", "now")), kUnbound);
    EXPECT_EQ(said_of(claim("data", "ghost")), kUnbound) << "a class nobody stated";
    EXPECT_EQ(said_of(claim("data", "")), kUnbound) << "no class";
    VolumeClaim prebound = claim("data", "wait");
    prebound.volume = text("pv");
    EXPECT_EQ(said_of(prebound), kUnbound) << "names a volume, and is not bound to it";
    prebound.bind_completed = true;
    EXPECT_EQ(said_of(prebound), "");
    VolumeClaim annotated = claim("data", "wait");
    annotated.bind_completed = true;
    EXPECT_EQ(said_of(annotated), "") << "bound to nothing is unbound, and waits";
}

TEST_F(Rejection, every_claim_is_looked_at_before_one_is_called_unbound) {
    state(claim("unbound", "now"));
    VolumeClaim deleted = bound_claim("deleted", "pv");
    deleted.deleting = true;
    state(deleted);
    use_claim("unbound");
    use_claim("deleted");
    EXPECT_EQ(rejection(), "VolumeBinding (UU): persistentvolumeclaim \"deleted\" is being deleted");
}

TEST_F(Rejection, texts_of_volume_zone) {
    const auto said_of = [&](const VolumeClaim& claim) {
        state(claim);
        pod.volumes.clear();
        use_claim("data");
        return rejection(only(zone));
    };
    EXPECT_EQ(said_of(bound_claim("data", "pv-gone")), "VolumeZone (UU): persistentvolume \"pv-gone\" not found");
    EXPECT_EQ(said_of(claim("data", "")),
              "VolumeZone (UU): PersistentVolumeClaim had no pv name and storageClass name");
    EXPECT_EQ(said_of(claim("data", "ghost")), "VolumeZone (UU): storageclass.storage.k8s.io \"ghost\" not found");
    EXPECT_EQ(said_of(claim("data", "now")), "VolumeZone (UU): PersistentVolume had no name");
    EXPECT_EQ(said_of(claim("data", "wait")), "");
    StorageClass modeless = waiting_class("modeless", "p");
    modeless.has_binding_mode = false;
    state(modeless);
    EXPECT_EQ(said_of(claim("data", "modeless")),
              "VolumeZone (UU): VolumeBindingMode not set for StorageClass \"modeless\"");
    pod.volumes.clear();
    use_claim("");
    EXPECT_EQ(rejection(only(zone)), "VolumeZone (UU): PersistentVolumeClaim had no name");
}

TEST_F(Rejection, a_bound_volume_that_is_gone_is_volume_zones_to_reject) {
    state(bound_claim("data", "pv-gone"));
    use_claim("data");
    EXPECT_EQ(rejection(), "VolumeZone (UU): persistentvolume \"pv-gone\" not found");
    EXPECT_EQ(rejection(only(binding)), "");
    EXPECT_EQ(judged(node("n"), only(binding)),
              "VolumeBinding (UU): node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
}

}  // namespace
}  // namespace bayplan::testing
