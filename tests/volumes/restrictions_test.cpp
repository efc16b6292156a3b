// VolumeRestrictions by table: disks that two pods of a node may not share, and ReadWriteOncePod.

#include <gtest/gtest.h>

#include "tests/volumes/storage_world.h"

namespace bayplan::testing {
namespace {

using enum VolumeKind;

const std::string kDisk = "VolumeRestrictions (U): node(s) had no available disk";
const std::string kTaken =
    "VolumeRestrictions (U): node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod";

struct Disk {
    VolumeKind kind;
    const char* name;
    bool read_only = false;
    const char* pool = "";
    std::vector<std::string> monitors = {};
};

struct DiskCase {
    const char* why;
    Disk wanted;
    Disk in_use;
    bool conflict;
};

PodVolume made(TextWorld& world, const Disk& disk) {
    PodVolume volume;
    volume.kind = disk.kind;
    volume.name = world.text(disk.name);
    volume.read_only = disk.read_only;
    volume.pool = world.text(disk.pool);
    for (const std::string& monitor : disk.monitors) {
        volume.monitors.push_back(world.text(monitor));
    }
    return volume;
}

TEST(Restrictions, disks) {
    const DiskCase cases[] = {
        {"GCE: the same", {gce_disk, "d"}, {gce_disk, "d"}, true},
        {"GCE: another", {gce_disk, "d"}, {gce_disk, "e"}, false},
        {"GCE: both read only", {gce_disk, "d", true}, {gce_disk, "d", true}, false},
        {"GCE: only the new one reads only", {gce_disk, "d", true}, {gce_disk, "d"}, true},
        {"GCE: only the old one reads only", {gce_disk, "d"}, {gce_disk, "d", true}, true},
        {"AWS: the same", {aws_disk, "d"}, {aws_disk, "d"}, true},
        {"AWS: both read only", {aws_disk, "d", true}, {aws_disk, "d", true}, true},
        {"AWS: another", {aws_disk, "d"}, {aws_disk, "e"}, false},
        {"AWS against GCE", {aws_disk, "d"}, {gce_disk, "d"}, false},
        {"iSCSI: the same", {iscsi, "d"}, {iscsi, "d"}, true},
        {"iSCSI: both read only", {iscsi, "d", true}, {iscsi, "d", true}, false},
        {"iSCSI: one reads only", {iscsi, "d", true}, {iscsi, "d"}, true},
        {"RBD: one monitor in common", {rbd, "i", false, "p", {"a", "b"}}, {rbd, "i", false, "p", {"b", "c"}}, true},
        {"RBD: none in common", {rbd, "i", false, "p", {"a"}}, {rbd, "i", false, "p", {"b"}}, false},
        {"RBD: another pool", {rbd, "i", false, "p", {"a"}}, {rbd, "i", false, "q", {"a"}}, false},
        {"RBD: another image", {rbd, "i", false, "p", {"a"}}, {rbd, "j", false, "p", {"a"}}, false},
        {"RBD: both read only", {rbd, "i", true, "p", {"a"}}, {rbd, "i", true, "p", {"a"}}, false},
        {"RBD: one reads only", {rbd, "i", true, "p", {"a"}}, {rbd, "i", false, "p", {"a"}}, true},
        {"Azure: not looked at", {azure_disk, "d"}, {azure_disk, "d"}, false},
        {"others: not looked at", {other, "d"}, {other, "d"}, false},
    };
    for (const DiskCase& one : cases) {
        StorageWorld world;
        PodSpec on_node;
        on_node.volumes = {made(world, {gce_disk, "unrelated"}), made(world, one.in_use)};
        world.used.add_pod(on_node);
        world.pod.volumes = {made(world, {gce_disk, "not in use"}), made(world, one.wanted)};
        EXPECT_EQ(world.judged(world.node("n")), one.conflict ? kDisk : "") << one.why;
        world.used.remove_pod(on_node);
        EXPECT_EQ(world.judged(world.node("n")), "") << one.why << ", gone";
        EXPECT_TRUE(world.used.empty()) << one.why;
    }
}

TEST(Restrictions, a_disk_is_free_when_its_last_pod_is_gone) {
    StorageWorld world;
    world.pod.volumes = {made(world, {aws_disk, "d"})};
    world.used.add_pod(world.pod);
    world.used.add_pod(world.pod);
    world.used.remove_pod(world.pod);
    EXPECT_EQ(world.judged(world.node("n")), kDisk);
    world.used.remove_pod(world.pod);
    EXPECT_EQ(world.judged(world.node("n")), "");
}

TEST(Restrictions, read_write_once_pod) {
    StorageWorld world;
    world.state(world.volume("pv"));
    VolumeClaim claim = world.bound_claim("data", "pv");
    claim.access_modes = kOncePod;
    world.state(claim);
    world.use_claim("data");
    const auto users = direct_claims(world.pod);
    ASSERT_EQ(users.size(), 1u);
    EXPECT_EQ(world.judged(world.node("n")), "");

    world.objects.add_pod_claims(users);
    world.objects.add_pod_claims(users);
    EXPECT_EQ(world.plan().claims_taken, 1u) << "claims count, not pods";
    EXPECT_EQ(world.judged(world.node("n")), kTaken) << "wherever the pod is";
    EXPECT_EQ(world.rejection(), "") << "said of each node, since another pod may go";
    world.objects.remove_pod_claims(users);
    EXPECT_EQ(world.judged(world.node("n")), kTaken);
    world.objects.remove_pod_claims(users);
    EXPECT_EQ(world.judged(world.node("n")), "");

    claim.access_modes = kOnce;
    world.state(claim);
    world.objects.add_pod_claims(users);
    EXPECT_EQ(world.judged(world.node("n")), "") << "another mode";
}

TEST(Restrictions, a_conflict_of_disks_is_said_before_a_claim_in_use) {
    StorageWorld world;
    world.state(world.volume("pv"));
    VolumeClaim claim = world.bound_claim("data", "pv");
    claim.access_modes = kOncePod;
    world.state(claim);
    world.use_claim("data");
    world.objects.add_pod_claims(direct_claims(world.pod));
    world.pod.volumes.push_back(made(world, {gce_disk, "d"}));
    EXPECT_EQ(world.judged(world.node("n")), kTaken);
    PodSpec on_node;
    on_node.volumes = {made(world, {gce_disk, "d"})};
    world.used.add_pod(on_node);
    EXPECT_EQ(world.judged(world.node("n")), kDisk);
}

TEST(Restrictions, ephemeral_claims_are_not_counted) {
    StorageWorld world;
    world.use_ephemeral("pod-1-scratch");
    EXPECT_TRUE(direct_claims(world.pod).empty());
    world.add(gce_disk, "d");
    EXPECT_TRUE(direct_claims(world.pod).empty());
}

}  // namespace
}  // namespace bayplan::testing
