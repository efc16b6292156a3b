// Pods that ask for extended resources which devices stand for: where they go, and the claim that is made for them.
#include <gmock/gmock.h>

#include "kube_shim/preparer.h"
#include "small_cluster.h"
#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kGate = "DRAExtendedResource=true";
const std::string kGpuClass = R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},)"
                              R"("spec":{"extendedResourceName":"example.com/gpu"}})";

void put_slice(SmallCluster& cluster, const std::string& node) {
    cluster.put(R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"s-)" + node +
                R"("},"spec":{"driver":"d.example","nodeName":")" + node + R"(","pool":{"name":")" + node +
                R"(","generation":1,"resourceSliceCount":1},"devices":[{"name":"g0"},{"name":"g1"}]}})");
}
void put_node(SmallCluster& cluster, const std::string& name, const std::string& gpus = {}) {
    cluster.put(R"({"kind":"Node","metadata":{"name":")" + name +
                R"("},"status":{"allocatable":{"cpu":"4","memory":"4Gi","pods":"10")" +
                (gpus.empty() ? "" : R"(,"example.com/gpu":")" + gpus + "\"") + "}}}");
}
void put_pod(SmallCluster& cluster, const std::string& name, const std::string& requests,
             const std::string& uid = "u") {
    cluster.put(R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" + uid +
                R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1",)" + requests + "}}}]}}");
}
const std::string kTwoGpus = R"("example.com/gpu":"2")";

TEST(ExtendedResources, a_node_without_the_resource_gives_devices_and_a_claim_is_made_for_them) {
    SmallCluster cluster({}, kGate);
    cluster.put(kGpuClass);
    put_slice(cluster, "n1");
    put_node(cluster, "n1");
    put_pod(cluster, "p", kTwoGpus);
    EXPECT_EQ(cluster.of("p"), "n1");
    ASSERT_EQ(cluster.steps("p").devices.size(), 1u);
    const DeviceStep& step = cluster.steps("p").devices[0];
    EXPECT_EQ(step.claim, "");
    EXPECT_THAT(step.devices, ElementsAre(GivenDevice{"container-0-request-1", "d.example", "n1", "g0", false},
                                          GivenDevice{"container-0-request-1", "d.example", "n1", "g1", false}));
    EXPECT_THAT(step.fields, ElementsAre(NodeRequirement{"metadata.name", "In", {"n1"}}));
    ASSERT_TRUE(step.makes.has_value());
    EXPECT_THAT(step.makes->requests, ElementsAre(ClaimToMake::Request{"container-0-request-1", "gpu", 2}));
    EXPECT_THAT(step.makes->mappings,
                ElementsAre(ClaimToMake::Mapping{"c", "example.com/gpu", "container-0-request-1"}));
    put_pod(cluster, "q", kTwoGpus, "v");
    EXPECT_THAT(cluster.of("q"), HasSubstr("1 cannot allocate all claims. still not schedulable"));
}

TEST(ExtendedResources, a_node_with_the_resource_gives_that_and_nothing_is_made) {
    SmallCluster cluster({}, kGate);
    cluster.put(kGpuClass);
    put_slice(cluster, "n1");
    put_node(cluster, "n1", "2");
    put_pod(cluster, "p", kTwoGpus);
    EXPECT_EQ(cluster.of("p"), "n1");
    EXPECT_FALSE(cluster.steps("p").any());
    put_pod(cluster, "q", R"("example.com/gpu":"1")", "v");
    EXPECT_THAT(cluster.of("q"), HasSubstr("1 Insufficient example.com/gpu."));
}

TEST(ExtendedResources, of_two_resources_a_node_may_have_one_and_devices_for_the_other) {
    SmallCluster cluster({}, kGate);
    cluster.put(kGpuClass);
    cluster.put(R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"nic"},)"
                R"("spec":{"extendedResourceName":"example.com/nic"}})");
    put_slice(cluster, "n1");
    put_node(cluster, "n1", "2");
    put_pod(cluster, "p", R"("example.com/gpu":"2","example.com/nic":"1")");
    EXPECT_EQ(cluster.of("p"), "n1");
    ASSERT_EQ(cluster.steps("p").devices.size(), 1u);
    EXPECT_THAT(cluster.steps("p").devices[0].makes->requests,
                ElementsAre(ClaimToMake::Request{"container-0-request-2", "nic", 1}));
    EXPECT_THAT(cluster.steps("p").devices[0].makes->mappings,
                ElementsAre(ClaimToMake::Mapping{"c", "example.com/nic", "container-0-request-2"}));
}

TEST(ExtendedResources, a_class_that_comes_wakes_pods_and_one_that_goes_leaves_them_waiting) {
    SmallCluster cluster({}, kGate);
    put_slice(cluster, "n1");
    put_node(cluster, "n1");
    put_pod(cluster, "p", kTwoGpus);
    EXPECT_THAT(cluster.of("p"), HasSubstr("1 Insufficient example.com/gpu."));
    cluster.put(kGpuClass);
    EXPECT_EQ(cluster.of("p"), "n1");
    cluster.remove(kGpuClass);
    put_pod(cluster, "q", R"("example.com/gpu":"1")", "v");
    EXPECT_THAT(cluster.of("q"), HasSubstr("1 Insufficient example.com/gpu."));
}

TEST(ExtendedResources, a_class_serves_a_resource_of_its_own_name_and_one_that_it_names_later) {
    SmallCluster cluster({}, kGate);
    cluster.put(R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},"spec":{}})");
    put_slice(cluster, "n1");
    put_node(cluster, "n1");
    put_pod(cluster, "p", R"("deviceclass.resource.kubernetes.io/gpu":"1")");
    EXPECT_EQ(cluster.of("p"), "n1");
    EXPECT_EQ(cluster.steps("p").devices.at(0).makes->mappings.at(0).resource,
              "deviceclass.resource.kubernetes.io/gpu");
    put_pod(cluster, "q", R"("example.com/gpu":"1")", "v");
    EXPECT_THAT(cluster.of("q"), HasSubstr("1 Insufficient example.com/gpu."));
    cluster.put(kGpuClass);
    EXPECT_EQ(cluster.of("q"), "n1");
}

TEST(ExtendedResources, are_what_nodes_have_where_the_gate_is_off) {
    SmallCluster cluster;
    cluster.put(kGpuClass);
    put_slice(cluster, "n1");
    put_node(cluster, "n1");
    put_pod(cluster, "p", kTwoGpus);
    EXPECT_THAT(cluster.of("p"), HasSubstr("1 Insufficient example.com/gpu. no new claims to deallocate"));
}

TEST(ExtendedResources, the_claim_goes_with_its_pod_and_a_pod_that_takes_the_name_has_its_own) {
    SmallCluster cluster({}, kGate);
    cluster.put(kGpuClass);
    put_slice(cluster, "n1");
    put_node(cluster, "n1");
    put_pod(cluster, "p", kTwoGpus);
    EXPECT_EQ(cluster.of("p"), "n1");
    put_pod(cluster, "p", R"("example.com/gpu":"1")", "another");
    cluster.run();
    EXPECT_EQ(cluster.of("p"), "n1");
    EXPECT_EQ(cluster.steps("p").devices.at(0).makes->requests.at(0).count, 1);
    cluster.remove(R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns"}})");
    put_pod(cluster, "q", kTwoGpus, "v");
    EXPECT_EQ(cluster.of("q"), "n1") << "nobody has the devices any more";
}

std::string made_claim(const std::string& name, const std::string& annotation, const std::string& uid = "u") {
    return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":")" + name +
           R"(","namespace":"ns","annotations":{)" + annotation +
           R"(},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":")" + uid +
           R"(","controller":true}]},"spec":{"devices":{"requests":[{"name":"container-0-request-1",)"
           R"("exactly":{"deviceClassName":"gpu","count":2}}]}},"status":{"allocation":{"devices":{"results":[)"
           R"({"request":"container-0-request-1","driver":"d.example","pool":"n1","device":"g0"},)"
           R"({"request":"container-0-request-1","driver":"d.example","pool":"n1","device":"g1"}]}}}})";
}
const std::string kMark = R"("resource.kubernetes.io/extended-resource-claim":"true")";

TEST(ExtendedResources, claims_that_were_made_for_a_pod_before_are_known) {
    SmallCluster cluster({}, kGate);
    cluster.put(made_claim("p-extended-resources-x", kMark));
    cluster.put(made_claim("p-extended-resources-y", ""));
    EXPECT_THAT(cluster.books().extended_claims_of("u"), ElementsAre("ns/p-extended-resources-x"));
    EXPECT_THAT(cluster.books().extended_claims_of("v"), IsEmpty());
    cluster.remove(made_claim("p-extended-resources-x", kMark));
    EXPECT_THAT(cluster.books().extended_claims_of("u"), IsEmpty());
}

TEST(ExtendedResources, texts_that_pods_need_are_not_forgotten) {
    SmallCluster cluster({}, kGate);
    cluster.put(kGpuClass);
    put_slice(cluster, "n1");
    put_node(cluster, "n1");
    for (int number = 0; number < 3'000; ++number) {  // more specs than are kept
        put_pod(cluster, "waits-" + std::to_string(number), R"("example.com/gpu":"3")", "u-" + std::to_string(number));
    }
    cluster.run();
    for (int number = 0; number < 3'000; ++number) {
        cluster.remove(R"({"kind":"Pod","metadata":{"name":"waits-)" + std::to_string(number) +
                       R"(","namespace":"ns"}})");
    }
    cluster.forget_unused();
    put_pod(cluster, "p", kTwoGpus);
    EXPECT_EQ(cluster.of("p"), "n1");
    EXPECT_EQ(cluster.steps("p").devices.at(0).makes->mappings.at(0).resource, "example.com/gpu");
}

// --- the requests

const std::string kClaims = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims";

// A server with claims, as far as the tests need one: it answers by method and path, and names are as they are made.
struct ClaimServer {
    explicit ClaimServer(int post_status = 201) : post_status_(post_status) {}

    const PlayedServer::Fault* answer(const CameIn& request) {
        lines.push_back(request.method + " " + request.path());
        const bool of_claim = request.path().starts_with(kClaims + "/");
        if (request.method == "POST") {
            body = request.body;
            name = between(body, R"("name":")", "\"");
            return post_status_ == 201 ? say(201, claim()) : say(std::exchange(post_status_, 201), "{}");
        }
        if (request.method == "GET" && of_claim) {
            return there() ? say(200, claim()) : say(404, "{}");
        }
        if (request.method == "GET") {
            return say(200, "{}");
        }
        if (request.method == "DELETE") {
            name.clear();
        }
        bodies.push_back(request.body);
        return of_claim || pod_status_ == 200 ? say(200, "{}") : say(pod_status_, R"({"message":"no"})");
    }

    std::string claim() const {
        std::string made = body;
        made.insert(made.find(R"("name":)"), R"("uid":"u-c","resourceVersion":"5",)");
        return made;
    }
    bool there() const { return !name.empty(); }

    static std::string between(const std::string& text, const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from, text.find("metadata")) + from.size();
        return text.substr(at, text.find(to, at) - at);
    }
    const PlayedServer::Fault* say(int status, const std::string& text) {
        fault.bytes = answer_bytes(status, text);
        return &fault;
    }

    int post_status_;
    int pod_status_ = 200;
    std::string body;
    std::string name;
    std::vector<std::string> lines;
    std::vector<std::string> bodies;
    PlayedServer::Fault fault;
};

struct Preparing {
    explicit Preparing(int post_status = 201) : claims(post_status) {}

    void prepare(std::vector<std::string> former = {}) {
        DeviceStep step;
        step.devices = {{"container-0-request-1", "d.example", "n1", "g0", false}};
        step.fields = {{"metadata.name", "In", {"n1"}}};
        step.makes = ClaimToMake{{{"container-0-request-1", "gpu", 1}},
                                 {{"c", "example.com/gpu", "container-0-request-1"}},
                                 std::move(former)};
        preparer.prepare({"ns/p", "u-p"}, "n1", {.storage = {}, .devices = {step}, .fault = {}},
                         std::chrono::seconds(60));
    }
    void turn() {
        http.turn(std::chrono::milliseconds(1));
        timers.turn(Clock::now());
        requests.turn(Clock::now());
    }
    bool ends() {
        return until([this] { turn(); }, [this] { return preparer.under_way() == 0; });
    }
    bool removes() {
        return until([this] { turn(); }, [this] { return !removals.under_way_of("u-p"); });
    }

    ClaimServer claims;
    PlayedServer server{{}, [this](const CameIn& request) { return claims.answer(request); }};
    HttpClient http{access_to(server)};
    Timers timers;
    Random random{3};
    PacedRequests requests{http};
    std::vector<std::string> outcomes;
    ClaimReturns returns{requests, timers, random, [](const std::string&, const std::string&) {}};
    ClaimRemovals removals{requests, timers, random, [this](const std::string& line) { outcomes.push_back(line); }};
    Preparer preparer{
        requests,
        timers,
        random,
        returns,
        removals,
        [](const StorageStep&, const std::string&) { return StorageState(); },
        [this](const PodName& pod, const std::string& node) { outcomes.push_back(pod.key + " at " + node); },
        [this](const PodName&, const std::string& why) { outcomes.push_back(why); }};
};

TEST(ExtendedClaims, a_claim_is_made_allocated_reserved_and_told_to_its_pod) {
    Preparing world;
    world.prepare();
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("ns/p at n1"));
    EXPECT_THAT(world.claims.name, StartsWith("p-extended-resources-"));
    const std::string path = kClaims + "/" + world.claims.name;
    EXPECT_THAT(world.claims.lines,
                ElementsAre("POST " + kClaims, "GET /apis/resource.k8s.io/v1/deviceclasses/gpu",
                            "PATCH " + path + "/status", "PATCH /api/v1/namespaces/ns/pods/p/status"));
    EXPECT_THAT(world.claims.body,
                HasSubstr(R"("annotations":{"resource.kubernetes.io/extended-resource-claim":"true"})"));
    EXPECT_THAT(
        world.claims.body,
        HasSubstr(R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u-p","controller":true}])"));
    EXPECT_THAT(world.claims.body,
                HasSubstr(R"("spec":{"devices":{"requests":[{"name":"container-0-request-1","exactly":)"
                          R"({"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}]}})"));
    EXPECT_THAT(
        world.claims.bodies.at(0),
        HasSubstr(R"("results":[{"request":"container-0-request-1","driver":"d.example","pool":"n1","device":"g0"}])"));
    EXPECT_THAT(world.claims.bodies.at(0), HasSubstr(R"("reservedFor":[{"resource":"pods","name":"p","uid":"u-p"}])"));
    EXPECT_EQ(world.claims.bodies.at(1),
              R"({"metadata":{"uid":"u-p"},"status":{"extendedResourceClaimStatus":{"resourceClaimName":")" +
                  world.claims.name +
                  R"(","requestMappings":[{"containerName":"c","resourceName":"example.com/gpu",)"
                  R"("requestName":"container-0-request-1"}]}}})");
}

TEST(ExtendedClaims, one_of_which_nobody_knows_what_became_is_read_under_its_name) {
    Preparing world(503);
    world.prepare();
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("ns/p at n1"));
    EXPECT_EQ(world.server.count("POST", "resourceclaims"), 1u) << "it was there";
    EXPECT_EQ(world.server.count("GET", "resourceclaims"), 1u);
}

TEST(ExtendedClaims, the_claim_goes_when_its_pod_is_not_bound) {
    Preparing world;
    world.prepare();
    ASSERT_TRUE(world.ends());
    const std::string path = kClaims + "/" + world.claims.name;
    world.claims.lines.clear();
    world.claims.bodies.clear();
    world.preparer.undo({"ns/p", "u-p"});
    ASSERT_TRUE(world.removes());
    EXPECT_THAT(world.claims.lines, ElementsAre("GET " + path, "PATCH " + path, "DELETE " + path));
    EXPECT_EQ(world.claims.bodies.at(0), R"({"metadata":{"uid":"u-c","resourceVersion":"5","finalizers":[]}})");
    EXPECT_THAT(world.claims.bodies.at(1), HasSubstr(R"("preconditions":{"uid":"u-c"})"));
    world.claims.lines.clear();
    world.preparer.undo({"ns/p", "u-p"});
    EXPECT_TRUE(world.removes());
    EXPECT_THAT(world.claims.lines, IsEmpty());
}

TEST(ExtendedClaims, a_pod_that_cannot_be_told_fails_and_its_claim_goes) {
    Preparing world;
    world.claims.pod_status_ = 403;
    world.prepare();
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre(HasSubstr("no")));
    ASSERT_TRUE(world.removes());
    EXPECT_FALSE(world.claims.there());
}

TEST(ExtendedClaims, a_former_claim_goes_before_another_is_made) {
    Preparing world;
    world.prepare();
    ASSERT_TRUE(world.ends());
    const std::string former = world.claims.name;
    world.preparer.forget("u-p");
    world.claims.lines.clear();
    world.prepare({"ns/" + former});
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("ns/p at n1", "ns/p at n1"));
    ASSERT_GE(world.claims.lines.size(), 4u);
    EXPECT_EQ(world.claims.lines[2], "DELETE " + kClaims + "/" + former);
    EXPECT_EQ(world.claims.lines[3], "POST " + kClaims);
    EXPECT_NE(world.claims.name, former);
}

TEST(ExtendedClaims, a_claim_of_another_pod_is_left_alone) {
    Preparing world;
    world.prepare();
    ASSERT_TRUE(world.ends());
    world.claims.lines.clear();
    world.removals.remove("ns/" + world.claims.name, "u-q");
    ASSERT_TRUE(until([&] { world.turn(); }, [&] { return !world.removals.under_way_of("u-q"); }));
    EXPECT_EQ(world.claims.lines.size(), 1u);
    EXPECT_TRUE(world.claims.there());
}

TEST(ExtendedClaims, names_are_short_enough_for_any_object) {
    const std::string long_name(200, 'a');
    EXPECT_EQ(name_of_claim_for({"ns/" + long_name, "u"}, "bcdfg"), "ns/" + std::string(58, 'a') + "bcdfg");
    EXPECT_EQ(name_of_claim_for({"ns/p", "u"}, "bcdfg"), "ns/p-extended-resources-bcdfg");
}

}  // namespace
}  // namespace bayplan::kube_shim
