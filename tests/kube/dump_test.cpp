// Messages of a dump, their order, objects that are left out, and that broken objects do not stop
// it.
#include "objects_in_text.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>

namespace bayplan::kube {
namespace {

using testing::DumpOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Sent;

std::string list(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) {
        text += (text.empty() ? "" : ",") + item;
    }
    return R"({"kind":"List","items":[)" + text + "]}";
}
std::string node(const std::string& name) { return R"({"kind":"Node","metadata":{"name":")" + name + "\"}}"; }
std::string pod(const std::string& name, const std::string& spec = "", const std::string& metadata = "",
                const std::string& status = "") {
    return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ns")" + metadata + R"(},
        "spec":{)" +
           spec + R"(},"status":{)" + status + "}}";
}
std::vector<std::string> keys(const Sent& sent) {
    std::vector<std::string> names;
    for (const AskItem& ask : sent.asks) {
        names.emplace_back(ask.key);
    }
    return names;
}

TEST(ClusterDump, SendsNothingBeforeWhatItRefersTo) {
    const DumpOf of(list({pod("waits"), pod("runs", R"("nodeName":"n1")"), node("n1"),
                          R"({"kind":"Namespace","metadata":{"name":"ns"}})"}));
    const Sent sent = of.sent();
    EXPECT_THAT(sent.kinds, ElementsAre("define", "specs", "nodes", "objects", "applications", "asks", "asks"));
    EXPECT_THAT(keys(sent), ElementsAre("ns/runs", "ns/waits"));
    EXPECT_THAT(sent.applications, ElementsAre("ns"));
    EXPECT_EQ(sent.text(sent.asks[0].node), "n1");
    EXPECT_THAT(of.faults(), IsEmpty());
}

TEST(ClusterDump, MessagesHaveAtMostSoManyItems) {
    std::vector<std::string> items;
    for (int index = 0; index < 25; ++index) {
        items.push_back(node("n" + std::to_string(index)));
    }
    const DumpOf of(list(items));
    const Sent sent(of.dump, 10);
    EXPECT_EQ(std::count(sent.kinds.begin(), sent.kinds.end(), "nodes"), 3);
    EXPECT_EQ(sent.nodes.size(), 25u);
}

TEST(ClusterDump, PodsOfOneTemplateShareASpec) {
    const std::string labels = R"(,"labels":{"app":"web"})";
    const DumpOf of(
        list({pod("a", "", labels), pod("b", "", labels), pod("c", R"("hostNetwork":false)", labels), pod("d")}));
    const Sent sent = of.sent();
    EXPECT_EQ(sent.specs.size(), 2u);
    EXPECT_EQ(sent.ask("ns/a").spec, sent.ask("ns/b").spec);
    EXPECT_EQ(sent.ask("ns/a").spec, sent.ask("ns/c").spec);
    EXPECT_NE(sent.ask("ns/a").spec, sent.ask("ns/d").spec);
}

TEST(ClusterDump, PendingPodsComeOldestFirstThenAsInTheFiles) {
    const auto at = [](const std::string& time) { return R"(,"creationTimestamp":")" + time + "\""; };
    const DumpOf of(list({pod("young", "", at("2026-01-02T00:00:00Z")), pod("same1", "", at("2026-01-01T00:00:00Z")),
                          pod("same2", "", at("2026-01-01T00:00:00Z")), pod("old", "", at("2025-01-01T00:00:00Z"))}));
    EXPECT_THAT(of.dump.pending(), ElementsAre("ns/old", "ns/same1", "ns/same2", "ns/young"));
    EXPECT_THAT(keys(of.sent()), ElementsAre("ns/old", "ns/same1", "ns/same2", "ns/young"));
}

TEST(ClusterDump, WhatIsLeftOutAndWhy) {
    const DumpOf of(
        list({node("n1"), pod("done", R"("nodeName":"n1")", "", R"("phase":"Succeeded")"),
              pod("failed", "", "", R"("phase":"Failed")"), pod("lost", R"("nodeName":"n2")"), pod("going", "", R"(,
        "deletionTimestamp":"2026-01-01T00:00:00Z")"),
              pod("ending", R"("nodeName":"n1")", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"),
              pod("nominated", "", "", R"("nominatedNodeName":"n2")"), R"({"kind":"ConfigMap",
        "metadata":{"name":"x"}})"}));
    const Sent sent = of.sent();
    EXPECT_THAT(keys(sent), ElementsAre("ns/ending", "ns/nominated"));
    EXPECT_TRUE(sent.asks[0].terminating);
    EXPECT_EQ(sent.asks[1].nominated_node, 0u);  // of a node that is not there
    EXPECT_EQ(of.dump.counts().skipped_finished, 2u);
    EXPECT_EQ(of.dump.counts().skipped_no_node, 1u);
    EXPECT_EQ(of.dump.counts().skipped_deleting, 1u);
    EXPECT_EQ(of.dump.counts().ignored, 1u);
    EXPECT_EQ(of.dump.why_not_pending("ns/done"), "is finished");
    EXPECT_EQ(of.dump.why_not_pending("ns/ending"), "runs on n1 already");
    EXPECT_EQ(of.dump.why_not_pending("ns/lost"), "is on the node n2, which no file has");
    EXPECT_EQ(of.dump.why_not_pending("ns/going"), "is being deleted");
    EXPECT_EQ(of.dump.why_not_pending("ns/nobody"), "is in none of the files");
    EXPECT_EQ(of.dump.why_not_pending("ns/nominated"), "");
}

TEST(ClusterDump, PodsOfOtherSchedulersAreForeignOrNotOurs) {
    const std::string text = list({node("n1"), pod("plain", R"("nodeName":"n1")"), pod("other", R"("nodeName":"n1",
        "schedulerName":"x")"),
                                   pod("mirror", R"("nodeName":"n1","schedulerName":"x")", R"(,
        "ownerReferences":[{"kind":"Node","name":"n1"}])"),
                                   pod("waits", R"("schedulerName":"x")"), pod("ours")});
    EXPECT_EQ(DumpOf(text).dump.counts().foreign, 0u);
    EXPECT_EQ(DumpOf(text).dump.counts().pending, 2u);

    const DumpOf of(text, {.defaults = false, .schedulers = {"y", "default-scheduler"}});
    const Sent sent = of.sent();
    EXPECT_FALSE(sent.ask("ns/plain").foreign);
    const AskItem& other = sent.ask("ns/other");
    EXPECT_TRUE(other.foreign);
    EXPECT_EQ(other.application, 0u);
    ASSERT_EQ(other.tags.size(), 1u);
    EXPECT_EQ(sent.text(other.tags[0].key) + "=" + sent.text(other.tags[0].value), "foreign=default");
    EXPECT_EQ(sent.text(sent.ask("ns/mirror").tags[0].value), "static");
    EXPECT_THAT(of.dump.pending(), ElementsAre("ns/ours"));
    EXPECT_EQ(of.dump.why_not_pending("ns/waits"), "is the scheduler's x");
}

TEST(ClusterDump, PrioritiesOfClasses) {
    const DumpOf of(list(
        {pod("named", R"("priorityClassName":"high")"), pod("given", R"("priorityClassName":"high","priority":3)"),
         pod("built", R"("priorityClassName":"system-node-critical")"), pod("none", R"("priorityClassName":"no-such")"),
         R"({"kind":"PriorityClass","metadata":{"name":"high"},"value":1000,
        "globalDefault":true})",
         pod("plain")}));
    const Sent sent = of.sent();
    EXPECT_EQ(sent.ask("ns/named").priority, 1'000);
    EXPECT_EQ(sent.ask("ns/given").priority, 3);
    EXPECT_EQ(sent.ask("ns/built").priority, 2'000'001'000);
    EXPECT_EQ(sent.ask("ns/none").priority, 0);
    EXPECT_EQ(sent.ask("ns/plain").priority, 0);
    EXPECT_THAT(of.faults(), ElementsAre("test: Pod ns/none: spec.priorityClassName: "
                                         "no PriorityClass 'no-such' was read; "
                                         "priority 0 is taken"));
    EXPECT_FALSE(of.dump.faults()[0].dropped);
}

TEST(ClusterDump, BrokenObjectsAreNamedAndTheRestGoesOn) {
    const DumpOf of(
        list({node("n1"), R"({"kind":"Node","metadata":{"name":"n2"},
        "status":{"allocatable":{"cpu":"many"}}})",
              R"({"metadata":{"name":"x"}})", pod("bad", R"("priority":true)"), pod("good"), pod("good"), node("n1")}));
    EXPECT_THAT(of.faults(),
                ElementsAre("test: Node n2: status.allocatable.cpu: 'many' is no quantity: it has no digits",
                            "test: kind: is missing: is this a Kubernetes object?",
                            "test: Pod ns/bad: spec.priority: is true or false, not a number",
                            "test: Pod ns/good: was given before; the first one counts",
                            "test: Node n1: was given before; the first one counts"));
    EXPECT_EQ(of.dump.counts().nodes, 1u);
    EXPECT_THAT(of.dump.pending(), ElementsAre("ns/good"));
}

TEST(ClusterDump, NamesThatAreNone) {
    EXPECT_THAT(DumpOf(pod("a b")).faults(),
                ElementsAre("test: Pod ns/a b: metadata.name: 'a b' in 'ns' is no name of an object"));
    EXPECT_THAT(DumpOf(pod("a/b")).faults(), ::testing::SizeIs(1));
}

TEST(ClusterDump, TextsTooLongForTheDictionaryAreFaults) {
    const DumpOf of(list({pod("a", R"("containers":[{"image":")" + std::string(600, 'x') + "\"}]")}));
    EXPECT_THAT(of.faults(), ElementsAre("test: Pod ns/a: spec.containers[0].image: is longer than 512 bytes"));
}

TEST(ClusterDump, FilesInJsonAndYamlTogether) {
    const std::string directory = ::testing::TempDir();
    const std::string json = directory + "/kube_dump.json";
    const std::string yaml = directory + "/kube_dump.yaml";
    std::ofstream(json) << list({pod("p", R"("nodeName":"n1")")});
    std::ofstream(yaml) << "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 2, memory: 1Gi}}\n";
    ClusterDump dump;
    EXPECT_TRUE(dump.read_file(json));
    EXPECT_TRUE(dump.read_file(yaml));
    EXPECT_FALSE(dump.read_file(directory + "/kube_dump_missing"));
    dump.finish();
    EXPECT_EQ(dump.counts().bound, 1u);
    ASSERT_EQ(dump.faults().size(), 1u);
    EXPECT_THAT(dump.faults()[0].what, ::testing::StartsWith("cannot be read: "));
    const Sent sent(dump);
    EXPECT_EQ(sent.amounts(sent.nodes.at(0).capacity),
              (std::map<std::string, std::int64_t>{{"cpu", 2'000}, {"memory", 1 << 30}}));
    std::remove(json.c_str());
    std::remove(yaml.c_str());
}

TEST(InputNotes, WhatIsNotUsedIsCountedAndSaid) {
    const DumpOf of(list({node("n1"), R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"}})",
                          R"({"kind":"Wibble","apiVersion":"x/v1","metadata":{"name":"w"}})",
                          R"({"kind":"Nodes","apiVersion":"v1","metadata":{"name":"w"}})",
                          R"({"kind":"Service","apiVersion":"serving.knative.dev/v1","metadata":{"name":"s"}})",
                          R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns"},"spec":{"containers":
                              [{"name":"c","resources":{"request":{"cpu":"1"}},"colour":1}]}})",
                          pod("good"), pod("bad", R"("priority":true)")}));
    EXPECT_THAT(
        of.dump.notes().lines(),
        ElementsAre(
            "skipped: 1 Deployment, 1 Nodes (did you mean Node?), 1 Service of serving.knative.dev/v1, 1 Wibble",
            "left out, since they are broken: 1 Pod; what such a pod requests counts nowhere",
            "not known: Pod spec.containers[].colour (once, in ns/p)",
            "not known: Pod spec.containers[].resources.request (once, in ns/p); did you mean "
            "`requests`?"));
    EXPECT_TRUE(of.dump.notes().any_misspelt());
}

TEST(InputNotes, KindsThatPodsReferToAndNoFileHas) {
    const DumpOf of(list({node("n1"), R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns","ownerReferences":
                              [{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u","controller":true}]},
                              "spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}})"}));
    EXPECT_THAT(
        of.dump.notes().lines(),
        ElementsAre(
            "missing: claims on volumes are named by 1 pod (ns/p: data), and no file has a PersistentVolumeClaim: "
            "kubectl get pvc",
            "missing: owners, by which the default spread counts, are named by 1 pod (ns/p: rs), and no "
            "file has a ReplicaSet: kubectl get replicasets"));
    EXPECT_FALSE(of.dump.notes().any_misspelt());
}

TEST(InputNotes, NothingIsSaidOfObjectsThatKubernetesWrites) {
    const DumpOf of(list({node("n1"), pod("p", R"("priority":1,"tolerations":[{"key":"a","operator":"Exists"}])")}));
    EXPECT_THAT(of.dump.notes().lines(), IsEmpty());
}

TEST(ClusterDump, APodThatWasProbablyMeant) {
    const DumpOf of(list({node("n1"), pod("web-1"), pod("worker")}));
    EXPECT_EQ(of.dump.meant("web-1"), "ns/web-1");
    EXPECT_EQ(of.dump.meant("wbe-1"), "ns/web-1");
    EXPECT_EQ(of.dump.meant("ns/wroker"), "ns/worker");
    EXPECT_EQ(of.dump.meant("something-else"), "");
}

}  // namespace
}  // namespace bayplan::kube
