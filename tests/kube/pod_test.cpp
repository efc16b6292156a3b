// A pod's fields, one by one, as specs and asks.
#include "objects_in_text.h"

#include <gmock/gmock.h>

namespace bayplan::kube {
namespace {

using testing::DumpOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Sent;

// A pod "ns/p" with this metadata, spec and status.
std::string pod(const std::string& spec, const std::string& metadata = "", const std::string& status = "{}") {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"ns")" + metadata + R"(},
        "spec":)" +
           spec + R"(,"status":)" + status + "}";
}

struct Pod {
    explicit Pod(const std::string& text, const std::vector<std::string>& faults = {}) : of(text), sent(of.sent()) {
        EXPECT_EQ(of.faults(), faults);
    }
    const PodSpec& spec() const { return sent.spec("ns/p"); }
    const AskItem& ask() const { return sent.ask("ns/p"); }
    std::string text(Text id) const { return sent.text(id); }
    std::vector<std::string> list(const std::vector<Text>& ids) const {
        std::vector<std::string> names;
        for (const Text id : ids) {
            names.push_back(text(id));
        }
        return names;
    }
    // "key operator value value"
    std::string requirement(const LabelRequirement& one) const {
        static const char* const kNames[] = {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
        std::string made = text(one.key) + " " + kNames[static_cast<int>(one.op)];
        for (const Text value : one.values) {
            made += " " + text(value);
        }
        return made;
    }
    std::vector<std::string> requirements(const std::vector<LabelRequirement>& all) const {
        std::vector<std::string> made;
        for (const LabelRequirement& one : all) {
            made.push_back(requirement(one));
        }
        return made;
    }
    std::vector<std::string> selector(const std::optional<LabelSelector>& one) const {
        return one ? requirements(one->requirements) : std::vector<std::string>{"none"};
    }

    DumpOf of;
    Sent sent;
};

TEST(PodConversion, AnEmptyPodHasNothing) {
    const Pod made(pod("{}"));
    EXPECT_EQ(made.text(made.spec().name_space), "ns");
    PodSpec plain;
    plain.name_space = made.spec().name_space;
    EXPECT_EQ(made.spec(), plain);
    const AskItem& ask = made.ask();
    EXPECT_EQ(made.text(ask.application), "ns");
    EXPECT_EQ(ask.priority, 0);
    EXPECT_EQ(ask.node, 0u);
    EXPECT_EQ(ask.required_node, 0u);
    EXPECT_EQ(ask.nominated_node, 0u);
    EXPECT_FALSE(ask.foreign || ask.terminating || ask.never_preempts || ask.tolerates_unschedulable);
    EXPECT_EQ(ask.started_ms, 0);
    EXPECT_EQ(made.sent.requests("ns/p"), (std::map<std::string, std::int64_t>{{"pods", 1}}));
}

TEST(PodConversion, LabelsSelectorsAndTheOwner) {
    const Pod made(pod(R"({"nodeSelector":{"disk":"ssd","x":""}})",
                       R"(,"labels":{"app":"web","tier":""},"ownerReferences":[
        {"apiVersion":"apps/v1","kind":"StatefulSet","name":"other"},
        {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-1","controller":true}])"));
    ASSERT_EQ(made.spec().labels.size(), 2u);
    EXPECT_EQ(made.text(made.spec().labels[0].key) + "=" + made.text(made.spec().labels[0].value), "app=web");
    EXPECT_EQ(made.spec().labels[1].value, 0u);
    ASSERT_EQ(made.spec().node_selector.size(), 2u);
    EXPECT_EQ(made.text(made.spec().node_selector[0].value), "ssd");
    EXPECT_EQ(made.text(made.spec().owner.kind) + " " + made.text(made.spec().owner.name), "ReplicaSet web-1");
}

TEST(PodConversion, AReplicaSetOfAnotherGroupIsNone) {
    const Pod made(pod("{}", R"(,"ownerReferences":[{"apiVersion":"x.io/v1","kind":"ReplicaSet","name":"a",
        "controller":true}])"));
    EXPECT_EQ(made.spec().owner, PodOwner());
}

TEST(PodConversion, NodeAffinity) {
    const Pod made(pod(R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
        "nodeSelectorTerms":[
        {"matchExpressions":[{"key":"a","operator":"In","values":["1","2"]},{"key":"b","operator":"NotIn",
        "values":["3"]},
          {"key":"c","operator":"Exists"},{"key":"d","operator":"DoesNotExist"},{"key":"e","operator":"Gt",
        "values":["-5"]},
          {"key":"f","operator":"Lt","values":["6"]}]},
        {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]},
        {}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{"matchExpressions":[{"key":"z",
        "operator":"Exists"}]}}]}}})"));
    ASSERT_TRUE(made.spec().required_nodes.has_value());
    const std::vector<NodeTerm>& terms = *made.spec().required_nodes;
    ASSERT_EQ(terms.size(), 3u);
    EXPECT_THAT(made.requirements(terms[0].labels),
                ElementsAre("a In 1 2", "b NotIn 3", "c Exists", "d DoesNotExist", "e Gt -5", "f Lt 6"));
    EXPECT_THAT(made.requirements(terms[1].fields), ElementsAre("metadata.name In n1"));
    EXPECT_EQ(terms[2], NodeTerm());
    ASSERT_EQ(made.spec().preferred_nodes.size(), 1u);
    EXPECT_EQ(made.spec().preferred_nodes[0].weight, 7);
    EXPECT_THAT(made.requirements(made.spec().preferred_nodes[0].term.labels), ElementsAre("z Exists"));
}

TEST(PodConversion, RequiredAffinityWithoutTermsIsNotTheSameAsNone) {
    const Pod made(pod(R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
        "nodeSelectorTerms":[]}}}})"));
    ASSERT_TRUE(made.spec().required_nodes.has_value());
    EXPECT_TRUE(made.spec().required_nodes->empty());
}

TEST(PodConversion, PodAffinityInAllFourPlaces) {
    const auto term = [](const std::string& key, const std::string& more) {
        return R"({"topologyKey":")" + key + "\"" + more + "}";
    };
    const auto part = [&](const std::string& name, const std::string& required, const std::string& preferred) {
        return "\"" + name + R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[)" + required +
               R"(],"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":3,
        "podAffinityTerm":)" +
               preferred + "}]}";
    };
    const Pod made(
        pod(R"({"affinity":{)" +
            part("podAffinity",
                 term("zone", R"(,"labelSelector":{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"v",
        "operator":"NotIn","values":["1"]}]})"),
                 term("host", R"(,"labelSelector":{},"namespaces":["x","y"])")) +
            "," +
            part("podAntiAffinity", term("rack", R"(,"namespaceSelector":{"matchLabels":{"team":"a"}})"),
                 term("row", R"(,"namespaceSelector":{},"matchLabelKeys":["ignored"])")) +
            "}}"));
    const PodSpec& spec = made.spec();
    ASSERT_EQ(spec.affinity.size(), 1u);
    EXPECT_EQ(made.text(spec.affinity[0].topology_key), "zone");
    EXPECT_THAT(made.selector(spec.affinity[0].selector), ElementsAre("app In web", "v NotIn 1"));
    EXPECT_THAT(made.selector(spec.affinity[0].namespace_selector), ElementsAre("none"));
    ASSERT_EQ(spec.preferred_affinity.size(), 1u);
    EXPECT_EQ(spec.preferred_affinity[0].weight, 3);
    EXPECT_EQ(made.text(spec.preferred_affinity[0].term.topology_key), "host");
    EXPECT_THAT(made.selector(spec.preferred_affinity[0].term.selector), IsEmpty());
    EXPECT_THAT(made.list(spec.preferred_affinity[0].term.namespaces), ElementsAre("x", "y"));
    ASSERT_EQ(spec.anti_affinity.size(), 1u);
    EXPECT_THAT(made.selector(spec.anti_affinity[0].selector), ElementsAre("none"));
    EXPECT_THAT(made.selector(spec.anti_affinity[0].namespace_selector), ElementsAre("team In a"));
    ASSERT_EQ(spec.preferred_anti_affinity.size(), 1u);
    EXPECT_EQ(made.text(spec.preferred_anti_affinity[0].term.topology_key), "row");
    EXPECT_THAT(made.selector(spec.preferred_anti_affinity[0].term.namespace_selector), IsEmpty());
}

TEST(PodConversion, Tolerations) {
    const Pod made(pod(R"({"tolerations":[{"operator":"Exists"},{"key":"k","value":"v","effect":"NoSchedule"},
        {"key":"k","operator":"Equal","value":"w","effect":"NoExecute","tolerationSeconds":300},
        {"key":"k","operator":"Gt","value":"5"},{"key":"p","operator":"Exists","effect":"PreferNoSchedule"}]})"));
    const std::vector<Toleration>& all = made.spec().tolerations;
    ASSERT_EQ(all.size(), 4u);  // Gt tolerates nothing
    EXPECT_EQ(all[0], (Toleration{0, true, 0, TaintEffect::any}));
    EXPECT_EQ(all[1].effect, TaintEffect::no_schedule);
    EXPECT_FALSE(all[1].exists);
    EXPECT_EQ(made.text(all[2].value), "w");
    EXPECT_EQ(all[2].effect, TaintEffect::no_execute);
    EXPECT_EQ(all[3].effect, TaintEffect::prefer_no_schedule);
    EXPECT_TRUE(all[3].exists);
}

TEST(PodConversion, WhoToleratesAnUnschedulableNode) {
    const auto tolerates = [](const std::string& toleration) {
        return Pod(pod(R"({"tolerations":[)" + toleration + "]}")).ask().tolerates_unschedulable;
    };
    EXPECT_TRUE(tolerates(R"({"operator":"Exists"})"));
    EXPECT_TRUE(tolerates(R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoSchedule"})"));
    EXPECT_TRUE(tolerates(R"({"key":"node.kubernetes.io/unschedulable"})"));  // Equal to the empty value
    EXPECT_TRUE(tolerates(R"({"operator":"Equal"})"));  // validation forbids it, the matcher does not
    EXPECT_FALSE(tolerates(R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoExecute"})"));
    EXPECT_FALSE(tolerates(R"({"key":"node.kubernetes.io/unschedulable","value":"x"})"));
    EXPECT_FALSE(tolerates(R"({"key":"other","operator":"Exists"})"));
}

TEST(PodConversion, SpreadConstraintsAndTheirDefaults) {
    const Pod made(pod(R"({"topologySpreadConstraints":[
        {"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"},
        {"maxSkew":1,"topologyKey":"host","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{},"minDomains":4,
         "matchLabelKeys":["hash"],"nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor"}]})"));
    const std::vector<SpreadConstraint>& all = made.spec().spread;
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].max_skew, 2);
    EXPECT_TRUE(all[0].hard);
    EXPECT_FALSE(all[0].selector.has_value());
    EXPECT_EQ(all[0].min_domains, 1);
    EXPECT_TRUE(all[0].honor_node_affinity);
    EXPECT_FALSE(all[0].honor_node_taints);
    EXPECT_FALSE(all[1].hard);
    EXPECT_TRUE(all[1].selector.has_value());
    EXPECT_EQ(all[1].min_domains, 4);
    EXPECT_THAT(made.list(all[1].match_label_keys), ElementsAre("hash"));
    EXPECT_FALSE(all[1].honor_node_affinity);
    EXPECT_TRUE(all[1].honor_node_taints);
}

TEST(PodConversion, HostPortsOfContainersAndSidecars) {
    const Pod made(pod(R"({"initContainers":[{"ports":[{"hostPort":1}]},{"restartPolicy":"Always",
        "ports":[{"hostPort":2}]}],
        "containers":[{"ports":[{"containerPort":80},{"hostPort":0},{"hostPort":3,"protocol":"UDP",
        "hostIP":"127.0.0.1"},
          {"hostPort":4,"protocol":"SCTP","hostIP":"0.0.0.0"},{"hostPort":5,"protocol":"TCP","hostIP":"::"}]}]})"));
    const std::vector<HostPort>& all = made.spec().ports;
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0], (HostPort{2, Protocol::tcp, 0}));
    EXPECT_EQ(all[1].port, 3);
    EXPECT_EQ(all[1].protocol, Protocol::udp);
    EXPECT_EQ(made.text(all[1].address), "127.0.0.1");
    EXPECT_EQ(all[2], (HostPort{4, Protocol::sctp, 0}));
    EXPECT_EQ(made.text(all[3].address), "::");  // an ordinary address
}

TEST(PodConversion, ImagesWithTheirTag) {
    const Pod made(pod(R"({"initContainers":[{"image":"busybox"}],"containers":[{"image":"reg:5000/a"},
        {"image":"a/b:1"},
        {"image":"a@sha256:00"},{}],"volumes":[{"name":"v","image":{"reference":"model"}}]})"));
    EXPECT_THAT(made.list(made.spec().images),
                ElementsAre("busybox:latest", "reg:5000/a:latest", "a/b:1", "a@sha256:00", ":latest"));
    EXPECT_THAT(Pod(pod(R"({"containers":[{},{}]})")).spec().images, IsEmpty());
}

TEST(PodConversion, Volumes) {
    const Pod made(pod(R"({"volumes":[{"name":"a","emptyDir":{}},{"name":"b",
        "persistentVolumeClaim":{"claimName":"data","readOnly":true}},
        {"name":"scratch","ephemeral":{"volumeClaimTemplate":{}}},{"name":"c","gcePersistentDisk":{"pdName":"disk"}},
        {"name":"d","awsElasticBlockStore":{"volumeID":"vol","readOnly":true}},{"name":"e","iscsi":{"iqn":"iqn.x"}},
        {"name":"f","rbd":{"image":"img","pool":"pool","monitors":["m1","m2"]}},{"name":"g",
        "azureDisk":{"diskURI":"/d"}},
        {"name":"h","csi":{"driver":"inline.example.com"}},{"name":"i","cinder":{"volumeID":"cin"}}]})"));
    const std::vector<PodVolume>& all = made.spec().volumes;
    std::vector<std::string> lines;
    for (const PodVolume& volume : all) {
        lines.push_back(std::to_string(static_cast<int>(volume.kind)) + " " + made.text(volume.name) + " " +
                        made.text(volume.driver) + (volume.read_only ? " ro" : ""));
    }
    EXPECT_THAT(lines, ElementsAre("1 data  ro", "2 p-scratch ", "3 disk pd.csi.storage.gke.io",
                                   "4 vol ebs.csi.aws.com ro", "5 iqn.x ", "6 img ", "7 /d disk.csi.azure.com",
                                   "8  inline.example.com", "9 cin cinder.csi.openstack.org"));
    EXPECT_EQ(made.text(all[5].pool), "pool");
    EXPECT_THAT(made.list(all[5].monitors), ElementsAre("m1", "m2"));
}

TEST(PodConversion, WhatTheAskSays) {
    const std::string text = R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"n1"}},)" +
                             pod(R"({"priority":-7,"preemptionPolicy":"Never","schedulingGates":[{"name":"g1"},
        {"name":"g2"}]})",
                                 R"(,"creationTimestamp":"2026-01-02T03:04:05Z")",
                                 R"({"phase":"Pending","nominatedNodeName":"n1",
        "startTime":"1970-01-01T00:01:00+00:01"})") +
                             "]}";
    const Pod made(text);
    EXPECT_EQ(made.ask().priority, -7);
    EXPECT_TRUE(made.ask().never_preempts);
    EXPECT_EQ(made.text(made.ask().nominated_node), "n1");
    EXPECT_EQ(made.ask().created_s, 1'767'323'045);
    EXPECT_EQ(made.ask().started_ms, 0);  // a minute east of Greenwich
    EXPECT_THAT(made.list(made.spec().gates), ElementsAre("g1", "g2"));
    EXPECT_THAT(made.of.dump.gated(), ElementsAre("ns/p"));
}

// A field out of order, and the fault that names it.
struct BadField {
    std::string spec;
    std::string fault;  // from the path on
};

TEST(PodConversion, EachFaultNamesItsField) {
    const std::vector<BadField> fields{
        {R"({"priority":"high"})", "spec.priority: is a text, not a number"},
        {R"({"priority":1.5})", "spec.priority: '1.5' is no whole number"},
        {R"({"priority":3000000000})", "spec.priority: 3000000000 is not between -2147483648 and 2147483647"},
        {R"({"nodeName":7})", "spec.nodeName: is a number, not a text"},
        {R"({"containers":{}})", "spec.containers: is an object, not a list"},
        {R"({"containers":[{},{"resources":{"requests":{"cpu":"1x"}}}]})",
         "spec.containers[1].resources.requests.cpu: '1x' is no quantity: 'x' is no suffix"},
        {R"({"containers":[{"resources":{"requests":{"cpu":true}}}]})",
         "spec.containers[0].resources.requests.cpu: is true or false, not a text"},
        {R"({"containers":[{"resources":{"requests":{"memory":"-1"}}}]})",
         "spec.containers[0].resources.requests.memory: must not be negative"},
        {R"({"containers":[{"ports":[{"hostPort":65536}]}]})",
         "spec.containers[0].ports[0].hostPort: 65536 is not between 0 and 65535"},
        {R"({"containers":[{"ports":[{"hostPort":1,"protocol":"tcp"}]}]})",
         "spec.containers[0].ports[0].protocol: 'tcp' is none of TCP, UDP, SCTP"},
        {R"({"tolerations":[{"operator":"Like"}]})",
         "spec.tolerations[0].operator: 'Like' is no operator of a toleration"},
        {R"({"tolerations":[{"effect":"Never"}]})", "spec.tolerations[0].effect: 'Never' is no effect of a taint"},
        {R"({"topologySpreadConstraints":[{"topologyKey":"a","whenUnsatisfiable":"DoNotSchedule"}]})",
         "spec.topologySpreadConstraints[0].maxSkew: is missing"},
        {R"({"topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":"Maybe","topologyKey":"a"}]})",
         "spec.topologySpreadConstraints[0].whenUnsatisfiable: 'Maybe' is neither DoNotSchedule nor ScheduleAnyway"},
        {R"({"topologySpreadConstraints":[{"maxSkew":0,"whenUnsatisfiable":"DoNotSchedule","topologyKey":"a"}]})",
         "spec.topologySpreadConstraints[0].maxSkew: 0 is not between 1 and 2147483647"},
        {R"({"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":""}]}}})",
         "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: must not be empty"},
        {R"({"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"a",
        "labelSelector":
            {"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}}]}}})",
         "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector"
         ".matchExpressions[0].operator: 'Gt' is no operator here"},
        {R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
        "nodeSelectorTerms":[
            {"matchFields":[{"key":"spec.x","operator":"Exists"}]}]}}}})",
         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
         ".matchFields[0].key: 'spec.x' is no field; metadata.name is the only one"},
        {R"({"volumes":[{"csi":{}}]})", "spec.volumes[0].csi.driver: is missing"},
        {R"({"schedulingGates":[{}]})", "spec.schedulingGates[0].name: is missing"},
        {R"({"nodeSelector":{"a":true}})", "spec.nodeSelector.a: is true or false, not a text"},
    };
    for (const BadField& field : fields) {
        const DumpOf of(pod(field.spec));
        EXPECT_THAT(of.faults(), ElementsAre("test: Pod ns/p: " + field.fault)) << field.spec;
        EXPECT_TRUE(of.dump.pending().empty()) << field.spec;
    }
}

TEST(PodConversion, ALabelSelectorNeedsValuesWhereTheyMean) {
    const auto fault = [](const std::string& expression) {
        const DumpOf of(pod(R"({"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"a",
        "whenUnsatisfiable":"DoNotSchedule",
            "labelSelector":{"matchExpressions":[)" +
                            expression + "]}}]}"));
        return of.faults().empty() ? "" : of.faults()[0];
    };
    EXPECT_THAT(fault(R"({"key":"a","operator":"In"})"), ::testing::HasSubstr("values: must not be empty"));
    EXPECT_THAT(fault(R"({"key":"a","operator":"NotIn","values":[]})"),
                ::testing::HasSubstr("values: must not be empty"));
    EXPECT_THAT(fault(R"({"key":"a","operator":"Exists","values":["1"]})"),
                ::testing::HasSubstr("values: must be empty"));
    EXPECT_EQ(fault(R"({"key":"a","operator":"DoesNotExist"})"), "");
}

TEST(Pods, say_by_labels_of_either_prefix_which_group_they_are_in) {
    const auto labelled = [](const std::string& labels) { return pod("{}", R"(,"labels":{)" + labels + "}"); };
    const std::string old = R"("pod-group.scheduling.sigs.k8s.io/)";
    const std::string now = R"("pod-group.scheduling.x-k8s.io/)";
    const Pod old_ones(labelled(old + R"(name":"g",)" + old + R"(min-available":"2")"));
    EXPECT_EQ(old_ones.text(old_ones.ask().group), "g");
    EXPECT_EQ(old_ones.ask().group_min_available, 2u);
    const Pod both(labelled(old + R"(name":"g",)" + old + R"(min-available":"2",)" + now + R"(min-available":"3")"));
    EXPECT_EQ(both.text(both.ask().group), "g");
    EXPECT_EQ(both.ask().group_min_available, 3u) << "the new one wins, label by label";
    const Pod empty(labelled(old + R"(name":"g",)" + old + R"(min-available":"2",)" + now + R"(name":"")"));
    EXPECT_EQ(empty.ask().group_fault, GroupFault::no_name);
    const Pod nameless(labelled(now + R"(min-available":"x")"));
    EXPECT_EQ(nameless.ask().group_fault, GroupFault::none) << "a minimum without a name means nothing";
}

TEST(Pods, say_in_annotations_where_the_members_of_their_group_lie) {
    const auto annotated = [](const std::string& mode, const std::string& labels) {
        return pod("{}", R"(,"labels":{)" + labels + R"(},"annotations":{"bayplan.io/pod-group-topology-key":"rack")" +
                             (mode.empty() ? "" : R"(,"bayplan.io/pod-group-topology-mode":")" + mode + '"') + "}");
    };
    const std::string group =
        R"("pod-group.scheduling.x-k8s.io/name":"g","pod-group.scheduling.x-k8s.io/min-available":"2")";
    const Pod usual(annotated("", group));
    EXPECT_EQ(usual.text(usual.ask().group_topology_key), "rack");
    EXPECT_FALSE(usual.ask().group_topology_preferred);
    EXPECT_FALSE(Pod(annotated("required", group)).ask().group_topology_preferred);
    EXPECT_TRUE(Pod(annotated("preferred", group)).ask().group_topology_preferred);
    EXPECT_EQ(Pod(annotated("preferred", group)).ask().group_fault, GroupFault::none);
    EXPECT_EQ(Pod(annotated("perhaps", group)).ask().group_fault, GroupFault::no_topology_mode);
    EXPECT_EQ(Pod(annotated("perhaps", "")).ask().group_fault, GroupFault::none) << "it is in no group";
}

}  // namespace
}  // namespace bayplan::kube
