// Claims of a placed pod: which volume or devices they get, and the requests that make it so.
#include "kube_shim/preparer.h"

#include <gmock/gmock.h>

#include "small_cluster.h"
#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// --- which steps there are

std::string volume_claim(const std::string& name, const std::string& gigabytes, const std::string& more = {}) {
    return R"({"kind":"PersistentVolumeClaim","metadata":{"name":")" + name +
           R"(","namespace":"ns"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"late","resources":{"requests":)" +
           R"({"storage":")" + gigabytes + R"(Gi"}})" + more + "}}";
}
std::string volume(const std::string& name, const std::string& gigabytes, const std::string& node,
                   const std::string& more = {}) {
    return R"({"kind":"PersistentVolume","metadata":{"name":")" + name + R"("},"spec":{"capacity":{"storage":")" +
           gigabytes +
           R"(Gi"},"accessModes":["ReadWriteOnce"],"storageClassName":"late","nodeAffinity":{"required":{"nodeSelectorTerms":)" +
           R"([{"matchExpressions":[{"key":"host","operator":"In","values":[")" + node + R"("]}]}]}})" + more +
           R"(},"status":{"phase":"Available"}})";
}
std::string late_class(const std::string& provisioner = "kubernetes.io/no-provisioner") {
    return R"({"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{"name":"late"},"provisioner":")" +
           provisioner + R"(","volumeBindingMode":"WaitForFirstConsumer"})";
}
std::string uses(const std::vector<std::string>& claims) {
    std::string made;
    for (const std::string& claim : claims) {
        made += made.empty() ? "" : ",";
        made += R"({"name":")" + claim + R"(","persistentVolumeClaim":{"claimName":")" + claim + R"("}})";
    }
    return R"("volumes":[)" + made + "]";
}
std::vector<std::string> lines(const ClaimSteps& steps) {
    std::vector<std::string> made;
    for (const StorageStep& one : steps.storage) {
        made.push_back(one.claim + " -> " + one.volume);
    }
    return made;
}

TEST(ClaimSteps, a_waiting_claim_gets_the_smallest_volume_that_suits_and_no_two_get_one) {
    SmallCluster cluster;
    cluster.put(late_class());
    cluster.node("n1", R"("host":"n1")");
    cluster.put(volume("large", "9", "n1"));
    cluster.put(volume("b", "2", "n1"));
    cluster.put(volume("a", "2", "n1"));
    cluster.put(volume("elsewhere", "1", "n2"));
    cluster.put(volume_claim("c1", "1"));
    cluster.put(volume_claim("c2", "3"));
    cluster.pod("p", uses({"c2", "c1"}));
    EXPECT_EQ(cluster.of("p"), "n1");
    EXPECT_THAT(lines(cluster.steps("p")), ElementsAre("ns/c1 -> a", "ns/c2 -> large"));
    cluster.put(volume_claim("c3", "1"));
    cluster.pod("q", uses({"c3"}), "100m");
    EXPECT_EQ(cluster.of("q"), "n1");
    EXPECT_THAT(lines(cluster.steps("q")), ElementsAre("ns/c3 -> b"))
        << "a is taken, though the API server does not say so";
    cluster.books().release_volumes("u-p");
    EXPECT_THAT(lines(cluster.books().claims_to_prepare("ns/q", "n1", "")), ElementsAre("ns/c3 -> a"));
}

TEST(ClaimSteps, a_claim_that_finds_no_volume_is_provisioned_and_a_bound_one_needs_nothing) {
    SmallCluster cluster;
    cluster.put(late_class("example.com/maker"));
    cluster.node("n1", R"("host":"n1")");
    cluster.put(volume_claim("c1", "1"));
    cluster.put(volume("v", "1", "n1", R"(,"claimRef":{"namespace":"ns","name":"kept"})"));
    cluster.put(volume_claim("kept", "1"));
    cluster.pod("p", uses({"c1", "kept"}));
    EXPECT_EQ(cluster.of("p"), "n1");
    EXPECT_THAT(lines(cluster.steps("p")), ElementsAre("ns/c1 -> ", "ns/kept -> v"));
    cluster.put(volume("w", "1", "n1"));
    std::string bound = volume_claim("c1", "1", R"(,"volumeName":"w")");
    bound.insert(bound.find(R"("namespace")"), R"("annotations":{"pv.kubernetes.io/bind-completed":"yes"},)");
    cluster.put(bound);
    cluster.books().release_volumes("u-p");
    EXPECT_THAT(lines(cluster.books().claims_to_prepare("ns/p", "n1", "")), ElementsAre("ns/kept -> v"));
    EXPECT_EQ(cluster.books().storage_state({"ns/c1", ""}, "n1").kind, StorageState::bound);
}

TEST(ClaimSteps, what_is_seen_of_a_claim_says_whether_it_will_be_bound) {
    SmallCluster cluster;
    cluster.node("n1", R"("host":"n1")");
    cluster.put(volume_claim("c", "1"));
    cluster.put(volume("v", "1", "n1"));
    const auto state = [&](const std::string& name) {
        return cluster.books().storage_state({"ns/c", name}, "n1").kind;
    };
    EXPECT_EQ(state("v"), StorageState::unmarked);
    EXPECT_EQ(state(""), StorageState::unmarked);
    EXPECT_EQ(state("none"), StorageState::lost);
    cluster.put(volume("v", "1", "n1", R"(,"claimRef":{"namespace":"ns","name":"c","uid":"u"})"));
    EXPECT_EQ(state("v"), StorageState::marked);
    cluster.put(volume("v", "1", "n1", R"(,"claimRef":{"namespace":"ns","name":"d","uid":"u"})"));
    EXPECT_EQ(state("v"), StorageState::lost) << "another claim's";
    cluster.put(volume("v", "1", "n2"));
    EXPECT_EQ(state("v"), StorageState::lost) << "it does not reach the node";
    std::string selected = volume_claim("c", "1");
    selected.insert(selected.find(R"("namespace")"), R"("annotations":{"volume.kubernetes.io/selected-node":"n1"},)");
    cluster.put(selected);
    EXPECT_EQ(state(""), StorageState::marked);
    cluster.remove(R"({"kind":"Node","metadata":{"name":"n1"}})");
    EXPECT_EQ(state(""), StorageState::lost);
}

const std::string kDeviceClass =
    R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},"spec":{}})";
const std::string kSlice =
    R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"s1"},"spec":{"driver":"d.example",)"
    R"("nodeName":"n1","pool":{"name":"pool","generation":1,"resourceSliceCount":1},"devices":[{"name":"g0"},{"name":"g1"}]}})";

std::string resource_claim(const std::string& status = {}) {
    return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"dev","namespace":"ns"},"spec":)"
           R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","count":2}}]}})" +
           (status.empty() ? "" : R"(,"status":)" + status) + "}";
}

TEST(ClaimSteps, devices_are_the_ones_that_the_engine_gave) {
    SmallCluster cluster;
    cluster.put(kDeviceClass);
    cluster.put(kSlice);
    cluster.put(resource_claim());
    cluster.node("n1");
    cluster.pod("p", R"("resourceClaims":[{"name":"d","resourceClaimName":"dev"}])");
    EXPECT_EQ(cluster.of("p"), "n1");
    ASSERT_EQ(cluster.steps("p").devices.size(), 1u);
    const DeviceStep& step = cluster.steps("p").devices[0];
    EXPECT_EQ(step.claim, "ns/dev");
    EXPECT_THAT(step.devices, ElementsAre(GivenDevice{"r", "d.example", "pool", "g0", false},
                                          GivenDevice{"r", "d.example", "pool", "g1", false}));
    EXPECT_THAT(step.fields, ElementsAre(NodeRequirement{"metadata.name", "In", {"n1"}}));
    cluster.put(resource_claim(R"({"allocation":{"devices":{"results":[]}},"reservedFor":[{"uid":"u-p"}]})"));
    EXPECT_FALSE(cluster.books().claims_to_prepare("ns/p", "n1", "").any());
}

TEST(ClaimSteps, a_claim_that_cannot_be_prepared_is_named) {
    SmallCluster cluster;
    cluster.node("n1");
    cluster.pod("p", uses({"c"}));
    EXPECT_THAT(cluster.books().claims_to_prepare("ns/p", "n1", "").fault,
                HasSubstr("claim c has nothing bound to it"));
    cluster.pod("q", R"("resourceClaims":[{"name":"d","resourceClaimName":"dev"}])");
    EXPECT_THAT(cluster.books().claims_to_prepare("ns/q", "n1", "").fault,
                HasSubstr("resource claim ns/dev is not there"));
}

// --- the requests

const std::string kClaimPath = "/api/v1/namespaces/ns/persistentvolumeclaims/c";
const std::string kVolumePath = "/api/v1/persistentvolumes/v";
const std::string kResourcePath = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/dev";
const std::string kClassPath = "/apis/resource.k8s.io/v1/deviceclasses/gpu";

Exchange exchange(const std::string& method, const std::string& path, const std::string& body, int status = 200) {
    return {method, path, {}, {{answer_bytes(status, body), 0}}, true};
}
const std::string kReadClaim =
    R"({"metadata":{"name":"c","namespace":"ns","uid":"u-c","resourceVersion":"5"},"spec":{}})";
const std::string kReadVolume = R"({"metadata":{"name":"v","resourceVersion":"7"},"spec":{}})";
const std::string kModified = R"({"kind":"Status","message":"the object has been modified","code":409})";

struct Prepared {
    explicit Prepared(std::vector<Exchange> exchanges) : server(std::move(exchanges)), http(access_to(server)) {}

    void prepare(ClaimSteps steps, std::chrono::seconds time = std::chrono::seconds(60)) {
        preparer.prepare({"ns/p", "u-p"}, "n1", std::move(steps), time);
    }
    void turn() {
        http.turn(std::chrono::milliseconds(1));
        timers.turn(Clock::now());
        requests.turn(Clock::now());
    }
    bool ends() {
        return until([this] { turn(); }, [this] { return preparer.under_way() == 0; });
    }
    std::string body_of(const std::string& method) const {
        std::string bodies;
        for (const CameIn& one : server.requests()) {
            bodies += one.method == method ? one.body : "";
        }
        return bodies;
    }

    PlayedServer server;
    HttpClient http;
    Timers timers;
    Random random{3};
    PacedRequests requests{http};
    std::vector<StorageState> states = {{StorageState::bound, {}}};  // the last one stays
    std::vector<std::string> outcomes;
    ClaimReturns returns{requests, timers, random, [](const std::string&, const std::string&) {}};
    ClaimRemovals removals{requests, timers, random, [](const std::string&) {}};
    Preparer preparer{
        requests,
        timers,
        random,
        returns,
        removals,
        [this](const StorageStep&, const std::string&) {
            const StorageState now = states.front();
            if (states.size() > 1) {
                states.erase(states.begin());
            }
            return now;
        },
        [this](const PodName& pod, const std::string& node) { outcomes.push_back(pod.key + " at " + node); },
        [this](const PodName&, const std::string& why) { outcomes.push_back(why); }};
};

TEST(Preparer, a_volume_is_given_to_the_claim_and_its_binding_is_waited_for) {
    Prepared world({exchange("GET", kClaimPath, kReadClaim), exchange("GET", kVolumePath, kReadVolume),
                    exchange("PATCH", kVolumePath, kModified, 409), exchange("GET", kClaimPath, kReadClaim),
                    exchange("GET", kVolumePath, kReadVolume), exchange("PATCH", kVolumePath, "{}")});
    world.states = {{StorageState::unmarked, {}}, {StorageState::marked, {}}, {StorageState::bound, {}}};
    world.prepare({.storage = {{"ns/c", "v"}}, .devices = {}, .fault = {}});
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("ns/p at n1"));
    EXPECT_EQ(world.server.count("PATCH", "persistentvolumes"), 2u);
    EXPECT_THAT(
        world.body_of("PATCH"),
        HasSubstr(R"({"metadata":{"resourceVersion":"7","annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},)"
                  R"("spec":{"claimRef":{"kind":"PersistentVolumeClaim","apiVersion":"v1","namespace":"ns","name":"c",)"
                  R"("uid":"u-c","resourceVersion":"5"}}})"));
}

TEST(Preparer, a_volume_that_somebody_else_has_by_now_is_not_taken) {
    Prepared world(
        {exchange("GET", kClaimPath, kReadClaim),
         exchange("GET", kVolumePath,
                  R"({"metadata":{"resourceVersion":"8"},"spec":{"claimRef":{"namespace":"ns","name":"d"}}})")});
    world.prepare({.storage = {{"ns/c", "v"}}, .devices = {}, .fault = {}});
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("volume v is another claim's"));
    EXPECT_EQ(world.server.count("PATCH", ""), 0u);
}

TEST(Preparer, a_node_is_selected_for_a_claim_that_is_provisioned) {
    Prepared world({exchange("GET", kClaimPath, kReadClaim), exchange("PATCH", kClaimPath, "{}")});
    world.prepare({.storage = {{"ns/c", ""}}, .devices = {}, .fault = {}});
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("ns/p at n1"));
    EXPECT_EQ(world.body_of("PATCH"), R"({"metadata":{"uid":"u-c","resourceVersion":"5",)"
                                      R"("annotations":{"volume.kubernetes.io/selected-node":"n1"}}})");
}

TEST(Preparer, a_provisioner_that_gives_up_and_a_time_that_is_over_fail_the_pod) {
    Prepared given_up({exchange("GET", kClaimPath, kReadClaim), exchange("PATCH", kClaimPath, "{}")});
    given_up.states = {{StorageState::unmarked, {}}, {StorageState::marked, {}}, {StorageState::unmarked, {}}};
    given_up.prepare({.storage = {{"ns/c", ""}}, .devices = {}, .fault = {}});
    ASSERT_TRUE(given_up.ends());
    EXPECT_THAT(given_up.outcomes, ElementsAre("claim ns/c is not being bound any more"));

    Prepared late({exchange("GET", kClaimPath, kReadClaim), exchange("PATCH", kClaimPath, "{}")});
    late.states = {{StorageState::marked, {}}};
    late.prepare({.storage = {{"ns/c", ""}}, .devices = {}, .fault = {}}, std::chrono::seconds(0));
    ASSERT_TRUE(late.ends());
    EXPECT_THAT(late.outcomes, ElementsAre("claim ns/c was not bound within 0 s"));
}

const DeviceStep kStep = {"ns/dev", {{"r", "d.example", "pool", "g0", false}}, {{"metadata.name", "In", {"n1"}}}, {}};

std::string read_claim(const std::string& finalizers, const std::string& status = {}) {
    return R"({"metadata":{"name":"dev","namespace":"ns","uid":"u-d","resourceVersion":"9","finalizers":[)" +
           finalizers +
           R"(]},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}],"config":[{"requests":["r"],)"
           R"("opaque":{"driver":"d.example","parameters":{"of":"claim"}}}]}})" +
           status + "}";
}
const std::string kProtected = R"("resource.kubernetes.io/delete-protection")";

TEST(Preparer, devices_are_allocated_and_reserved_with_the_configurations_of_class_and_claim) {
    Prepared world(
        {exchange("GET", kResourcePath, read_claim("")), exchange("PATCH", kResourcePath, "{}"),
         exchange("GET", kResourcePath, read_claim(kProtected)),
         exchange("GET", kClassPath, R"({"spec":{"config":[{"opaque":{"driver":"d.example","parameters":{}}}]}})"),
         exchange("PATCH", kResourcePath + "/status", "{}")});
    world.prepare({.storage = {}, .devices = {kStep}, .fault = {}});
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("ns/p at n1"));
    const std::string bodies = world.body_of("PATCH");
    EXPECT_THAT(bodies,
                HasSubstr(R"({"metadata":{"uid":"u-d","resourceVersion":"9","finalizers":[)" + kProtected + "]}}"));
    EXPECT_THAT(
        bodies,
        HasSubstr(
            R"("status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d.example","pool":"pool","device":"g0"}],)"
            R"("config":[{"opaque":{"driver":"d.example","parameters":{}},"source":"FromClass","requests":["r"]},)"
            R"({"requests":["r"],"opaque":{"driver":"d.example","parameters":{"of":"claim"}},"source":"FromClaim"}]},)"
            R"("nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
            R"("values":["n1"]}]}]}},)"
            R"("reservedFor":[{"resource":"pods","name":"p","uid":"u-p"}]})"));
}

TEST(Preparer, an_allocated_claim_is_reserved_for_one_more_pod) {
    const std::string status =
        R"(,"status":{"allocation":{"devices":{}},"reservedFor":[{"resource":"pods","name":"o","uid":"u-o"}]})";
    DeviceStep shared = kStep;
    shared.devices.clear();
    Prepared world({exchange("GET", kResourcePath, read_claim(kProtected)),  // the other pod's allocation is under way
                    exchange("GET", kResourcePath, read_claim(kProtected, status)),
                    exchange("PATCH", kResourcePath + "/status", "{}")});
    world.prepare({.storage = {}, .devices = {shared}, .fault = {}});
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("ns/p at n1"));
    EXPECT_THAT(world.body_of("PATCH"),
                HasSubstr(R"("status":{"reservedFor":[{"resource":"pods","name":"o","uid":"u-o"},)"
                          R"({"resource":"pods","name":"p","uid":"u-p"}]})"));
    EXPECT_THAT(world.body_of("PATCH"), Not(HasSubstr("allocation")));
}

TEST(Preparer, reservations_are_taken_back_when_the_pod_cannot_be_bound) {
    Prepared world({exchange("GET", kResourcePath, read_claim(kProtected)), exchange("GET", kClassPath, "{}"),
                    exchange("PATCH", kResourcePath + "/status", "{}"),
                    exchange("PATCH", kResourcePath + "/status", "{}")});
    world.prepare({.storage = {}, .devices = {kStep}, .fault = {}});
    ASSERT_TRUE(world.ends());
    world.preparer.undo({"ns/p", "u-p"});
    ASSERT_TRUE(until([&] { world.turn(); }, [&] { return world.server.count("PATCH", "status") == 2; }));
    EXPECT_THAT(world.body_of("PATCH"), HasSubstr(R"({"status":{"reservedFor":[{"$patch":"delete","uid":"u-p"}]}})"));
    world.preparer.undo({"ns/p", "u-p"});
    world.turn();
    EXPECT_EQ(world.server.count("PATCH", "status"), 2u) << "once";
}

}  // namespace
}  // namespace bayplan::kube_shim
