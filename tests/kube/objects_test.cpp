// Nodes and the other kinds of object, field by field.
#include "objects_in_text.h"

#include <gmock/gmock.h>

namespace bayplan::kube {
namespace {

using testing::DumpOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Sent;

// The one object of its type in the text.
template <typename Object>
struct Only {
    explicit Only(const std::string& text) : of(text), sent(of.sent()) {
        EXPECT_THAT(of.faults(), IsEmpty());
        const std::vector<Object> all = sent.all<Object>();
        EXPECT_EQ(all.size(), 1u);
        object = all.empty() ? Object() : all[0];
    }
    std::string text(Text id) const { return sent.text(id); }
    DumpOf of;
    Sent sent;
    Object object;
};

std::string object(const std::string& kind, const std::string& metadata, const std::string& rest) {
    return R"({"kind":")" + kind + R"(","metadata":{)" + metadata + "}" + (rest.empty() ? "" : ",") + rest + "}";
}

TEST(ObjectConversion, Node) {
    const DumpOf of(object("Node", R"("name":"n1","labels":{"zone":"a","empty":""})",
                           R"("spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule"},
        {"key":"l","effect":"NoExecute"}]},
        "status":{"capacity":{"cpu":"99"},"allocatable":{"cpu":"3920m","memory":"1.5Gi","pods":"110",
        "example.com/gpu":2,"storage":"1"},
        "images":[{"names":["a:1","a@sha256:0"],"sizeBytes":7},{"names":["a:1"],"sizeBytes":9},{"sizeBytes":5}]})"));
    EXPECT_THAT(of.faults(), IsEmpty());
    const Sent sent = of.sent();
    ASSERT_EQ(sent.nodes.size(), 1u);
    const NodeItem& node = sent.nodes[0];
    EXPECT_EQ(sent.text(node.node), "n1");
    EXPECT_EQ(node.action, NodeAction::create_drain);
    EXPECT_EQ(sent.amounts(node.capacity),
              (std::map<std::string, std::int64_t>{
                  {"cpu", 3'920}, {"memory", 1'610'612'736}, {"pods", 110}, {"example.com/gpu", 2}}));
    ASSERT_EQ(node.attributes.size(), 2u);
    EXPECT_EQ(sent.text(node.attributes[0].key) + "=" + sent.text(node.attributes[0].value), "zone=a");
    EXPECT_EQ(node.attributes[1].value, 0u);
    ASSERT_EQ(node.taints.size(), 2u);
    EXPECT_EQ(sent.text(node.taints[0].key) + "=" + sent.text(node.taints[0].value), "k=v");
    EXPECT_EQ(node.taints[0].effect, TaintEffect::no_schedule);
    EXPECT_EQ(node.taints[1].effect, TaintEffect::no_execute);
    EXPECT_EQ(sent.amounts(node.images), (std::map<std::string, std::int64_t>{{"a:1", 7}, {"a@sha256:0", 7}}));
}

TEST(ObjectConversion, NodeFaults) {
    EXPECT_THAT(DumpOf(object("Node", "", "")).faults(), ElementsAre("test: Node ?: metadata.name: is missing"));
    EXPECT_THAT(DumpOf(object("Node", R"("name":"n")", R"("spec":{"taints":[{"key":"a"}]})")).faults(),
                ElementsAre("test: Node n: spec.taints[0].effect: is missing"));
    const DumpOf cut(object("Node", R"("name":"n")", R"("status":{"allocatable":{"memory":"9Pi"}})"));
    EXPECT_THAT(cut.faults(), ElementsAre("test: Node n: status.allocatable.memory: is more than 2^53, "
                                          "which is counted in its place"));
    EXPECT_EQ(cut.sent().nodes[0].capacity[0].value, kAmountMax);
}

TEST(ObjectConversion, Namespace) {
    const Only<Namespace> made(object("Namespace", R"("name":"a","labels":{"team":"x"})", ""));
    EXPECT_EQ(made.text(made.object.name), "a");
    ASSERT_EQ(made.object.labels.size(), 1u);
    EXPECT_EQ(made.text(made.object.labels[0].value), "x");
}

TEST(ObjectConversion, ServicesAndControllers) {
    const Only<PodSet> service(
        object("Service", R"("name":"s","namespace":"ns")", R"("spec":{"selector":{"app":"web"}})"));
    EXPECT_EQ(service.text(service.object.kind), "Service");
    EXPECT_EQ(service.text(service.object.name_space), "ns");
    ASSERT_TRUE(service.object.selector.has_value());
    ASSERT_EQ(service.object.selector->requirements.size(), 1u);
    EXPECT_EQ(service.text(service.object.selector->requirements[0].values[0]), "web");
    EXPECT_FALSE(Only<PodSet>(object("Service", R"("name":"s")", R"("spec":{})")).object.selector.has_value());
    EXPECT_TRUE(
        Only<PodSet>(object("Service", R"("name":"s")", R"("spec":{"selector":{}})")).object.selector.has_value());

    const Only<PodSet> set(object("ReplicaSet", R"("name":"r")",
                                  R"("spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Exists"}]}})"));
    EXPECT_EQ(set.object.selector->requirements[0].op, LabelOperator::exists);
    EXPECT_EQ(set.text(set.object.name_space), "default");
    EXPECT_EQ(Only<PodSet>(object("ReplicationController", R"("name":"r")", R"("spec":{"selector":{"a":"b"}})"))
                  .object.selector->requirements.size(),
              1u);
    EXPECT_FALSE(Only<PodSet>(object("StatefulSet", R"("name":"r")", R"("spec":{})")).object.selector.has_value());
}

TEST(ObjectConversion, KindsOfOtherGroupsAreIgnored) {
    const DumpOf of(R"({"kind":"Service","apiVersion":"serving.knative.dev/v1","metadata":{"name":"s"},
        "spec":{"selector":7}})");
    EXPECT_THAT(of.faults(), IsEmpty());
    EXPECT_EQ(of.dump.counts().ignored, 1u);
}

TEST(ObjectConversion, Budget) {
    const Only<PodBudget> made(object("PodDisruptionBudget", R"("name":"b","namespace":"ns")",
                                      R"("spec":{"selector":{"matchLabels":{"a":"b"}}},"status":{"disruptionsAllowed":2,
        "disruptedPods":{"x":"2026-01-01T00:00:00Z","y":null}})"));
    EXPECT_EQ(made.object.disruptions_allowed, 2);
    ASSERT_EQ(made.object.disrupted_pods.size(), 2u);
    EXPECT_EQ(made.text(made.object.disrupted_pods[1]), "y");
    EXPECT_TRUE(made.object.selector.has_value());
    EXPECT_FALSE(Only<PodBudget>(object("PodDisruptionBudget", R"("name":"b")", "")).object.selector.has_value());
}

TEST(ObjectConversion, Claim) {
    const Only<VolumeClaim> made(object("PersistentVolumeClaim", R"("name":"c","namespace":"ns",
        "deletionTimestamp":"2026-01-01T00:00:00Z",
        "annotations":{"pv.kubernetes.io/bind-completed":"yes","volume.kubernetes.io/selected-node":"n1"},
        "ownerReferences":[{"kind":"Pod","name":"p","controller":true}])",
                                        R"("spec":{"storageClassName":"","volumeName":"v","volumeMode":"Block",
        "accessModes":["ReadWriteOnce","ReadWriteOncePod"],
        "resources":{"requests":{"storage":"1.5Ki"}},"selector":{}},"status":{"phase":"Lost"})"));
    const VolumeClaim& claim = made.object;
    EXPECT_EQ(made.text(claim.name_space) + "/" + made.text(claim.name), "ns/c");
    EXPECT_TRUE(claim.has_storage_class);
    EXPECT_EQ(claim.storage_class, 0u);
    EXPECT_EQ(made.text(claim.volume), "v");
    EXPECT_TRUE(claim.bind_completed && claim.lost && claim.deleting && claim.block_mode);
    EXPECT_EQ(claim.access_modes, 1 | 8);
    EXPECT_EQ(claim.bytes, 1'536);
    EXPECT_TRUE(claim.selector.has_value());
    EXPECT_EQ(made.text(claim.selected_node), "n1");
    EXPECT_EQ(made.text(claim.owner_pod), "p");

    const Only<VolumeClaim> plain(object("PersistentVolumeClaim", R"("name":"c",
        "annotations":{"volume.beta.kubernetes.io/storage-class":"old"})",
                                         R"("spec":{"storageClassName":"new"})"));
    EXPECT_EQ(plain.text(plain.object.storage_class), "old");
    EXPECT_FALSE(plain.object.bind_completed || plain.object.lost || plain.object.deleting || plain.object.block_mode);
    EXPECT_FALSE(Only<VolumeClaim>(object("PersistentVolumeClaim", R"("name":"c")", "")).object.has_storage_class);
}

TEST(ObjectConversion, Volume) {
    const Only<Volume> made(object("PersistentVolume", R"("name":"v","labels":{"topology.kubernetes.io/zone":"a"})",
                                   R"("spec":{"storageClassName":"fast","accessModes":["ReadOnlyMany",
        "ReadWriteMany"],"capacity":{"storage":"1Gi"},
        "claimRef":{"namespace":"ns","name":"c","uid":"u"},"csi":{"driver":"d","volumeHandle":"h"},
        "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"In",
        "values":["a"]}]}]}}},
        "status":{"phase":"Available"})"));
    const Volume& volume = made.object;
    EXPECT_EQ(made.text(volume.storage_class), "fast");
    EXPECT_EQ(volume.access_modes, 2 | 4);
    EXPECT_EQ(volume.bytes, 1 << 30);
    EXPECT_TRUE(volume.available && volume.claim_has_uid);
    EXPECT_FALSE(volume.deleting || volume.block_mode);
    EXPECT_EQ(made.text(volume.claim_namespace) + "/" + made.text(volume.claim), "ns/c");
    EXPECT_EQ(volume.source, VolumeKind::csi);
    EXPECT_EQ(made.text(volume.driver) + " " + made.text(volume.handle), "d h");
    ASSERT_TRUE(volume.nodes.has_value());
    EXPECT_EQ(volume.nodes->size(), 1u);
    EXPECT_EQ(volume.labels.size(), 1u);

    const Only<Volume> local(object("PersistentVolume", R"("name":"v")", R"("spec":{"local":{"path":"/x"}})"));
    EXPECT_EQ(local.object.source, VolumeKind::other);
    EXPECT_EQ(local.object.driver, 0u);
    EXPECT_FALSE(local.object.nodes.has_value());
    const Only<Volume> disk(
        object("PersistentVolume", R"("name":"v")", R"("spec":{"awsElasticBlockStore":{"volumeID":"vol"}})"));
    EXPECT_EQ(disk.object.source, VolumeKind::aws_disk);
    EXPECT_EQ(disk.text(disk.object.driver) + " " + disk.text(disk.object.handle), "ebs.csi.aws.com vol");
}

TEST(ObjectConversion, StorageClass) {
    const Only<StorageClass> made(object("StorageClass", R"("name":"s")",
                                         R"("provisioner":"p","volumeBindingMode":"WaitForFirstConsumer",
        "allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]}])"));
    EXPECT_TRUE(made.object.has_binding_mode && made.object.wait_for_first_consumer);
    EXPECT_EQ(made.text(made.object.provisioner), "p");
    ASSERT_EQ(made.object.allowed_topologies.size(), 1u);
    EXPECT_EQ(made.object.allowed_topologies[0].labels[0].values.size(), 2u);
    const Only<StorageClass> plain(object("StorageClass", R"("name":"s")", ""));
    EXPECT_FALSE(plain.object.has_binding_mode || plain.object.wait_for_first_consumer);
    EXPECT_FALSE(Only<StorageClass>(object("StorageClass", R"("name":"s")", R"("volumeBindingMode":"Immediate")"))
                     .object.wait_for_first_consumer);
}

TEST(ObjectConversion, CsiObjectsAndAttachments) {
    const Only<CsiNode> node(object("CSINode", R"("name":"n",
        "annotations":{"storage.alpha.kubernetes.io/migrated-plugins":"a,b"})",
                                    R"("spec":{"drivers":[{"name":"d","nodeID":"i","allocatable":{"count":3}},
        {"name":"e"}]})"));
    ASSERT_EQ(node.object.drivers.size(), 2u);
    EXPECT_EQ(node.object.drivers[0].count, 3);
    EXPECT_FALSE(node.object.drivers[1].count.has_value());
    ASSERT_EQ(node.object.migrated.size(), 2u);
    EXPECT_EQ(node.text(node.object.migrated[1]), "b");
    EXPECT_TRUE(Only<CsiDriver>(object("CSIDriver", R"("name":"d")", R"("spec":{"storageCapacity":true})"))
                    .object.storage_capacity);
    const Only<CsiCapacity> capacity(object("CSIStorageCapacity", R"("name":"c","namespace":"ns")",
                                            R"("storageClassName":"s","nodeTopology":{"matchLabels":{"a":"b"}},
        "capacity":"2Ki")"));
    EXPECT_EQ(capacity.object.bytes, 2'048);
    EXPECT_EQ(capacity.object.bytes_max, -1);
    EXPECT_TRUE(capacity.object.topology.has_value());
    const Only<VolumeAttachment> attachment(object("VolumeAttachment", R"("name":"a")",
                                                   R"("spec":{"attacher":"d","nodeName":"n",
        "source":{"persistentVolumeName":"v"}})"));
    EXPECT_EQ(attachment.text(attachment.object.attacher) + " " + attachment.text(attachment.object.node) + " " +
                  attachment.text(attachment.object.volume),
              "d n v");
}

}  // namespace
}  // namespace bayplan::kube
