// rules/specs.md, objects.md, asks.md, nodes.md, failure.md: specs, objects, gates, labels and taints of nodes, and whom their
// changes wake. What the predicates and scores themselves say is in conformance_test.cpp.
#include <gtest/gtest.h>

#include "small_cluster.h"

namespace bayplan::oracle {
namespace {

struct Specs : testing::Test {
    void SetUp() override {
        cluster.ready();
        DictId id = 1000;
        OwnedDefine define;
        for (const char* text :
             {"default", "app", "web", "db", "kubernetes.io/hostname", "gate-a", "gate-b", "data", "pv-1", "pv-2",
              "local", "dedicated", "yes", "kubernetes.io/no-provisioner", "image:1"}) {
            ids[text] = ++id;
            define.entries.emplace_back(id, text);
        }
        cluster.send(define);
    }
    std::string last() {
        std::string text = cluster.last();
        return text.substr(text.find(' ') + 1);
    }
    std::string run_one() {
        const std::size_t before = cluster.oracle.log().size();
        cluster.oracle.run(1);
        return cluster.oracle.log().size() == before ? "nothing" : cluster.oracle.log().back();
    }
    PodSpec labelled(const char* app) const {
        PodSpec spec;
        spec.name_space = ids.at("default");
        spec.labels = {{ids.at("app"), ids.at(app)}};
        return spec;
    }
    PodTerm term(const char* app) const {
        PodTerm out;
        out.selector = LabelSelector{{{ids.at("app"), LabelOperator::in, {ids.at(app)}}}};
        out.topology_key = ids.at("kubernetes.io/hostname");
        return out;
    }
    void define(SpecNumber number, const PodSpec& spec) { cluster.send(OwnedSpecs{{{number, spec}}, {}}); }
    void node(DictId id) { cluster.node(id, {{kCpu, 1000}}, "s", {{ids.at("kubernetes.io/hostname"), id}}); }
    void ask(const std::string& key, SpecNumber spec, DictId on = 0) {
        cluster.ask({.key = key, .application = kAppA, .node = on, .spec = spec});
    }
    void object(const ClusterObject& object, bool removed = false) { cluster.send(OwnedObjects{{{object, removed}}}); }
    SmallCluster cluster;
    std::map<std::string, DictId> ids;
};

// R-SPEC-1 to R-SPEC-7, R-SPEC-10, R-ASK-5, R-ASK-7.
TEST_F(Specs, FaultsOfADefinition) {
    PodSpec spec = labelled("web");
    define(0, spec);
    EXPECT_EQ(last(), "message_rejected spec 0//spec number 0 is reserved");
    spec.gates = {kUnknown, kUnknown + 1};
    define(1, spec);
    EXPECT_EQ(last(), "message_rejected spec 1//unknown dictionary id #999");
    spec = labelled("web");
    spec.labels.push_back(spec.labels[0]);
    define(1, spec);
    EXPECT_EQ(last(), "message_rejected spec 1//label app is given twice");
    spec = labelled("web");
    spec.affinity = {{}};
    define(1, spec);
    EXPECT_EQ(last(), "message_rejected spec 1//a term without a topology key");
    spec = labelled("web");
    spec.spread.resize(1);
    spec.spread[0].max_skew = 0;
    spec.spread[0].topology_key = kZone;
    define(1, spec);
    EXPECT_EQ(last(), "message_rejected spec 1//skew or domains below 1");
    spec = labelled("web");
    spec.preferred_affinity = {{101, term("web")}};
    define(1, spec);
    EXPECT_EQ(last(), "message_rejected spec 1//weight outside 0 to 100");
    define(1, labelled("web"));
    const std::string before = cluster.last();
    define(1, labelled("web"));
    EXPECT_EQ(cluster.last(), before);
    define(1, labelled("db"));
    EXPECT_EQ(last(), "message_rejected spec 1//is defined already");
    cluster.send(OwnedSpecs{{}, {1, 1}});
    EXPECT_EQ(last(), "message_rejected spec 1//unknown spec");
    ask("x", 1);
    EXPECT_EQ(last(), "ask_rejected x//unknown spec 1");
    cluster.ask({.key = "x", .application = kAppA, .own_memory = -2});
    EXPECT_EQ(last(), "ask_rejected x//scored amount is out of range");
}

// R-ASK-25, R-ASK-26, R-ASK-32, R-ASK-33.
TEST_F(Specs, GatedAsksWaitUntilTheyHaveNoGate) {
    node(kNode1);
    PodSpec gated = labelled("web");
    gated.gates = {ids.at("gate-b"), ids.at("gate-a")};
    define(1, gated);
    define(2, labelled("web"));
    ask("x", 1);
    EXPECT_EQ(last(), "ask_waiting x//waiting for scheduling gates: [gate-b gate-a]");
    EXPECT_EQ(cluster.state("x"), "gated");
    EXPECT_EQ(run_one(), "nothing");
    const std::string before = cluster.last();
    ask("x", 1);
    EXPECT_EQ(cluster.last(), before);  // it did not become gated, it was
    ask("x", 2);
    EXPECT_EQ(cluster.state("x"), "pending");
    ask("x", 1);
    EXPECT_EQ(last(), "ask_waiting x//waiting for scheduling gates: [gate-b gate-a]");
    ask("x", 1, kNode1);
    EXPECT_EQ(cluster.state("x"), "allocated");  // by force
}

// R-NODE-4, R-NODE-5, R-NODE-12.
TEST_F(Specs, LabelsTaintsAndImagesOfNodes) {
    OwnedNode record{kNode1, NodeAction::create, {{kCpu, 1000}}, {}, {}, {}};
    record.attributes = {{kZone, kEast}, {kZone, kWest}};
    cluster.send(OwnedNodes{{record}});
    EXPECT_EQ(last(), "node_rejected n1//label zone is given twice");
    record.attributes = {{kZone, 0}};
    record.taints = {{kUnknown, 0, TaintEffect::no_execute}};
    cluster.send(OwnedNodes{{record}});
    EXPECT_EQ(last(), "node_rejected n1//unknown dictionary id");
    record.taints = {{ids.at("dedicated"), ids.at("yes"), TaintEffect::no_schedule}};
    record.images = {{kUnknown, 5}};
    cluster.send(OwnedNodes{{record}});
    EXPECT_EQ(last(), "node_rejected n1//unknown dictionary id");
    record.images = {{ids.at("image:1"), 5}};
    cluster.send(OwnedNodes{{record}});
    ask("x", 0);
    EXPECT_EQ(run_one(),
              "1 0 fail s/x - - 0/1 nodes are available: 1 node(s) had untolerated "
              "taint(s).");
    record.action = NodeAction::update;
    record.taints.clear();
    cluster.send(OwnedNodes{{record}});
    cluster.tick(kSecond);
    EXPECT_EQ(run_one(), "2 1000000000 place s/x n1 - -");
}

// R-PREDICATE-7, R-WAKE-5.
TEST_F(Specs, APlacedPodRepelsAndItsGoingWakes) {
    node(kNode1);
    PodSpec lonely = labelled("web");
    lonely.anti_affinity = {term("web")};
    define(1, lonely);
    ask("x", 1);
    ask("y", 1);
    EXPECT_EQ(run_one(), "1 0 place s/x n1 - -");
    EXPECT_EQ(run_one(),
              "2 0 fail s/y - - 0/1 nodes are available: 1 node(s) didn't match pod "
              "anti-affinity rules.");
    cluster.tick(kSecond);
    EXPECT_EQ(cluster.state("y"), "unschedulable");
    define(2, labelled("db"));
    cluster.ask({.key = "x", .application = kAppA, .spec = 2});  // stated again as another pod
    EXPECT_EQ(cluster.state("y"), "pending");
    EXPECT_EQ(run_one(), "3 1000000000 place s/y n1 - -");
}

// R-WAKE-7.
TEST_F(Specs, APlacedPodAttracts) {
    node(kNode1);
    PodSpec follows = labelled("db");
    follows.affinity = {term("web")};
    define(1, follows);
    define(2, labelled("web"));
    ask("x", 1);
    EXPECT_EQ(run_one(),
              "1 0 fail s/x - - 0/1 nodes are available: 1 node(s) didn't match pod "
              "affinity rules.");
    cluster.tick(kSecond);
    ask("y", 2, kNode1);
    EXPECT_EQ(run_one(), "2 1000000000 place s/x n1 - -");
}

// R-PREDICATE-23.
TEST_F(Specs, AVolumeGoesToTheClaimThatAPlacementBoundIt) {
    node(kNode1);
    const auto claim = [&](const char* name) {
        VolumeClaim out;
        out.name_space = ids.at("default");
        out.name = ids.at(name);
        out.storage_class = ids.at("local");
        out.bytes = 5;
        return out;
    };
    Volume volume;
    volume.name = ids.at("pv-1");
    volume.storage_class = ids.at("local");
    volume.bytes = 10;
    volume.available = true;
    StorageClass local;
    local.name = ids.at("local");
    local.provisioner = ids.at("kubernetes.io/no-provisioner");
    local.wait_for_first_consumer = true;
    for (const ClusterObject& one :
         {ClusterObject(claim("data")), ClusterObject(claim("web")), ClusterObject(volume), ClusterObject(local)}) {
        object(one);
    }
    for (const auto& [number, name] : {std::pair{1, "data"}, std::pair{2, "web"}}) {
        PodSpec spec = labelled("web");
        spec.volumes.resize(1);
        spec.volumes[0].name = ids.at(name);
        define(SpecNumber(number), spec);
    }
    ask("x", 1);
    ask("y", 2);
    EXPECT_EQ(run_one(), "1 0 place s/x n1 - -");
    EXPECT_EQ(run_one(),
              "2 0 fail s/y - - 0/1 nodes are available: 1 node(s) didn't find "
              "available persistent volumes to bind.");
    cluster.tick(kSecond);
    cluster.release("x");
    EXPECT_EQ(run_one(), "3 1000000000 place s/y n1 - -");
    volume.name = ids.at("pv-2");
    ask("z", 1);
    EXPECT_EQ(run_one().substr(0, 20), "4 1000000000 fail s/");
    cluster.tick(2 * kSecond);
    object(volume);
    EXPECT_EQ(run_one(), "5 2000000000 place s/z n1 - -");
}

// R-WORLD-30, R-OBJECT-2.
TEST_F(Specs, ObjectsHaveAnOwnerAndALimit) {
    EngineOptions options;
    options.objects_max = 1;
    options.specs_max = 1;
    SmallCluster limited(options);
    limited.ready("s");
    limited.ready("t");
    const auto space = [](DictId name) { return OwnedObjects{{{Namespace{name, {}}, false}}}; };
    limited.send(space(kEast));
    limited.send(space(kEast));
    limited.send(space(kWest));
    EXPECT_NE(limited.last().find("message_rejected object//more than 1 objects"), std::string::npos);
    limited.send(space(kUnknown));
    EXPECT_NE(limited.last().find("message_rejected object//unknown dictionary id #999"), std::string::npos);
    limited.send(space(kEast), "t");
    EXPECT_EQ(limited.oracle.object_owners().begin()->second, "t");
    limited.send(OwnedResyncBegin{}, "s");  // what it no longer owns stays
    EXPECT_EQ(limited.oracle.objects().namespaces.size(), 1u);
    limited.send(OwnedResyncEnd{}, "s");
    limited.send(space(kWest));
    EXPECT_EQ(limited.oracle.objects().namespaces.size(), 2u);
    limited.send(OwnedResyncBegin{}, "t");
    EXPECT_EQ(limited.oracle.objects().namespaces.size(), 1u);
    limited.send(OwnedResyncEnd{}, "t");
    limited.send(OwnedObjects{{{Namespace{kWest, {}}, true}, {Namespace{kWest, {}}, true}}});
    EXPECT_TRUE(limited.oracle.objects().namespaces.empty());
    limited.send(OwnedSpecs{{{1, {}}, {2, {}}}, {}});
    EXPECT_NE(limited.last().find("message_rejected spec 2//more than 1 specs"), std::string::npos);
}

// R-PREDICATE-2.
TEST_F(Specs, APredicateOrScoreThatIsSwitchedOffSaysNothing) {
    EngineOptions options;
    options.predicates = {"NodeName"};
    for (const ScoreRow& row : kScoreRows) {
        options.weights[row.id] = 0;
    }
    SmallCluster free(options);
    free.ready();
    free.node(kNode1, {{kCpu, 1}});
    free.node(kNode2, {{kCpu, 1000}});
    free.node_action(kNode1, NodeAction::drain);
    free.ask({.key = "x", .application = kAppA, .requests = {{kCpu, 500}}});
    free.oracle.run(1);
    EXPECT_EQ(free.oracle.log().back(), "1 0 place s/x n1 - -");
}

}  // namespace
}  // namespace bayplan::oracle
