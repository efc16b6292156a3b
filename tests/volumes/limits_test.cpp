// NodeVolumeLimits: what counts towards a CSI driver's limit on a node.

#include <gtest/gtest.h>

#include "tests/volumes/storage_world.h"

namespace bayplan::testing {
namespace {

const std::string kExceeded = "NodeVolumeLimits (U): node(s) exceed max volume count";

class Limits : public ::testing::Test, protected StorageWorld {
protected:
    Limits() {
        state(waiting_class("wait", "csi.example.com"));
        for (const char* name : {"1", "2", "3", "4"}) {
            state(volume("pv" + std::string(name)));
            state(bound_claim("c" + std::string(name), "pv" + std::string(name)));
        }
        set_limit(2);
    }
    void set_limit(std::optional<std::int32_t> count, std::string_view driver = "csi.example.com",
                   std::initializer_list<std::string_view> migrated = {}) {
        CsiNode csi_node;
        csi_node.node = text("n");
        csi_node.drivers = {{.driver = text(driver), .node_id = text("n"), .count = count}};
        csi_node.migrated = list(migrated);
        state(csi_node);
    }
    PodSpec with_claims(std::initializer_list<std::string_view> claims) {
        PodSpec spec;
        spec.name_space = text("ns");
        for (const std::string_view claim : claims) {
            spec.volumes.push_back(
                {.kind = VolumeKind::claim, .name = text(claim), .driver = 0, .pool = 0, .monitors = {}});
        }
        return spec;
    }
    // The pod wants these claims.
    std::string wants(std::initializer_list<std::string_view> claims) {
        pod = with_claims(claims);
        return judged(node("n"), only(VolumePredicate::limits));
    }
    std::string wants_inline(VolumeKind kind, std::string_view name, std::string_view driver) {
        pod = {};
        add(kind, name).driver = text(driver);
        return judged(node("n"), only(VolumePredicate::limits));
    }
    void attach(std::string_view name, std::string_view volume_name, std::string_view node_name = "n") {
        state(VolumeAttachment{text(name), text("csi.example.com"), text(node_name), text(volume_name)});
    }
};

TEST_F(Limits, as_many_as_the_limit_and_one_more) {
    EXPECT_EQ(wants({"c1", "c2"}), "");
    EXPECT_EQ(wants({"c1", "c2", "c3"}), kExceeded);
    used.add_pod(with_claims({"c4"}));
    EXPECT_EQ(wants({"c1"}), "");
    EXPECT_EQ(wants({"c1", "c2"}), kExceeded);
    set_limit(0);
    EXPECT_EQ(wants({"c1"}), kExceeded);
}

TEST_F(Limits, no_limit) {
    used.add_pod(with_claims({"c3", "c4"}));
    EXPECT_EQ(wants({"c1"}), kExceeded);
    set_limit(std::nullopt);
    EXPECT_EQ(wants({"c1"}), "") << "no count";
    set_limit(1, "other.example.com");
    EXPECT_EQ(wants({"c1"}), "") << "another driver's";
    CsiNode gone;
    gone.node = text("n");
    objects.remove(gone);
    EXPECT_EQ(wants({"c1"}), "") << "no CSINode";
}

TEST_F(Limits, a_volume_counts_once) {
    used.add_pod(with_claims({"c1", "c2"}));
    used.add_pod(with_claims({"c1"}));
    EXPECT_EQ(wants({"c1"}), "") << "it is there already";
    EXPECT_EQ(wants({"c1", "c2"}), "");
    EXPECT_EQ(wants({"c1", "c3"}), kExceeded);
    state(bound_claim("same", "pv1"));
    EXPECT_EQ(wants({"same"}), "") << "another claim, the same volume";
    used.remove_pod(with_claims({"c1", "c2"}));
    EXPECT_EQ(wants({"c2"}), "");
    EXPECT_EQ(wants({"c2", "c3"}), kExceeded) << "c1 is still used by the other pod";
}

TEST_F(Limits, attachments_of_no_pod_count) {
    state(volume("detaching"));
    attach("a1", "detaching");
    EXPECT_EQ(wants({"c1"}), "");
    EXPECT_EQ(wants({"c1", "c2"}), kExceeded);
    attach("a2", "detaching", "elsewhere");
    attach("a3", "unknown volume");
    EXPECT_EQ(wants({"c1"}), "") << "another node's, and one of a volume that is gone";
    used.add_pod(with_claims({"c1"}));
    attach("a4", "pv1");
    EXPECT_EQ(wants({"c2"}), kExceeded) << "detaching, pv1, pv2";
    VolumeAttachment gone;
    gone.name = text("a1");
    objects.remove(gone);
    EXPECT_EQ(wants({"c2"}), "") << "an attachment of a pod's volume counts once";
}

TEST_F(Limits, unbound_claims_count_for_their_provisioner) {
    state(claim("u1"));
    state(claim("u2"));
    EXPECT_EQ(wants({"u1", "u2"}), "");
    EXPECT_EQ(wants({"u1", "u2", "c1"}), kExceeded);
    used.add_pod(with_claims({"u1", "c1"}));
    EXPECT_EQ(wants({"u1"}), "");
    EXPECT_EQ(wants({"u2"}), kExceeded);
    state(claim("u2", "ghost"));
    EXPECT_EQ(wants({"u2"}), "") << "a class nobody stated";
    state(claim("u2", ""));
    EXPECT_EQ(wants({"u2"}), "") << "no class";
    state(bound_claim("u2", "pv-gone"));
    EXPECT_EQ(wants({"u2"}), kExceeded) << "bound to a volume that is gone: by the class";
}

TEST_F(Limits, claims_of_placed_pods_that_are_gone_count_nothing) {
    used.add_pod(with_claims({"never stated", "c1"}));
    EXPECT_EQ(wants({"c2"}), "");
    EXPECT_EQ(wants({"c2", "c3"}), kExceeded);
}

TEST_F(Limits, ephemeral_claims_count) {
    state(claim("pod-1-x"));
    pod = with_claims({"c1", "c2"});
    use_ephemeral("pod-1-x");
    EXPECT_EQ(judged(node("n"), only(VolumePredicate::limits)), kExceeded);
}

TEST_F(Limits, volumes_without_driver_or_handle_do_not_count) {
    set_limit(0);
    Volume odd = volume("pv1");
    odd.handle = 0;
    state(odd);
    EXPECT_EQ(wants({"c1"}), "");
    odd = volume("pv1");
    odd.source = VolumeKind::iscsi;
    odd.driver = 0;
    state(odd);
    EXPECT_EQ(wants({"c1"}), "");
}

TEST_F(Limits, in_tree_disks_count_as_their_drivers) {
    Volume disk = volume("disk", "in-tree");
    disk.source = VolumeKind::aws_disk;
    disk.driver = text("ebs.csi.aws.com");
    state(disk);
    state(bound_claim("on-disk", "disk"));
    state(waiting_class("in-tree", "kubernetes.io/aws-ebs"));
    state(claim("unbound", "in-tree"));
    set_limit(0, "ebs.csi.aws.com");
    EXPECT_EQ(wants({"on-disk"}), kExceeded) << "no annotation is needed";
    EXPECT_EQ(wants({"unbound"}), kExceeded);
    EXPECT_EQ(wants_inline(VolumeKind::aws_disk, "vol-1", "ebs.csi.aws.com"), kExceeded);
    EXPECT_EQ(wants_inline(VolumeKind::csi, "h", "ebs.csi.aws.com"), "") << "inline CSI volumes have no limit";
    set_limit(0, "pd.csi.storage.gke.io");
    EXPECT_EQ(wants({"on-disk"}), "") << "another driver's limit";
    EXPECT_EQ(wants({"unbound"}), "");
    set_limit(1, "ebs.csi.aws.com");
    EXPECT_EQ(wants_inline(VolumeKind::aws_disk, "vol-1", "ebs.csi.aws.com"), "");
    PodSpec on_node;
    on_node.volumes = {{.kind = VolumeKind::aws_disk,
                        .name = text("vol-2"),
                        .driver = text("ebs.csi.aws.com"),
                        .pool = 0,
                        .monitors = {}}};
    used.add_pod(on_node);
    EXPECT_EQ(wants_inline(VolumeKind::aws_disk, "vol-1", "ebs.csi.aws.com"), kExceeded);
    EXPECT_EQ(wants_inline(VolumeKind::aws_disk, "vol-2", "ebs.csi.aws.com"), "");
}

TEST_F(Limits, which_in_tree_plugins_count_on_which_nodes) {
    const struct {
        const char* plugin;
        const char* driver;
        bool counts;
        bool counts_where_annotated;
    } rows[] = {
        {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io", true, true},
        {"kubernetes.io/aws-ebs", "ebs.csi.aws.com", true, true},
        {"kubernetes.io/azure-disk", "disk.csi.azure.com", true, true},
        {"kubernetes.io/cinder", "cinder.csi.openstack.org", true, true},
        {"kubernetes.io/portworx-volume", "pxd.portworx.com", false, true},
        {"kubernetes.io/azure-file", "file.csi.azure.com", false, false},
        {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", false, false},
    };
    for (const auto& row : rows) {
        state(waiting_class("in-tree", row.plugin));
        state(claim("unbound", "in-tree"));
        const auto expect = [&](bool counts, const char* why) {
            EXPECT_EQ(wants_inline(VolumeKind::other, "vol-1", row.driver), counts ? kExceeded : "")
                << row.plugin << why;
            EXPECT_EQ(wants({"unbound"}), counts ? kExceeded : "") << row.plugin << why;
        };
        set_limit(0, row.driver);
        expect(row.counts, ", no annotation");
        set_limit(0, row.driver, {"some other", row.plugin});
        expect(row.counts_where_annotated, ", annotated");
    }
}

TEST_F(Limits, drivers_have_limits_of_their_own) {
    Volume other = volume("other");
    other.driver = text("other.example.com");
    state(other);
    state(bound_claim("on-other", "other"));
    CsiNode csi_node;
    csi_node.node = text("n");
    csi_node.drivers = {{text("csi.example.com"), 0, 2}, {text("other.example.com"), 0, 0}};
    state(csi_node);
    EXPECT_EQ(wants({"c1", "c2"}), "");
    EXPECT_EQ(wants({"c1", "on-other"}), kExceeded);
}

}  // namespace
}  // namespace bayplan::testing
