// Claims on devices that are given back: what is written of them, what is not, and what a shim does with them meanwhile.
#include "kube_shim/claim_returns.h"

#include <gmock/gmock.h>

#include "kube_shim/preparer.h"
#include "kube_shim/resources.h"
#include "kube_shim/shim.h"
#include "small_cluster.h"
#include "world.h"

namespace bayplan::kube_shim::giving_back {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPath = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/dev";
const std::string kProtected = R"("resource.kubernetes.io/delete-protection")";
const std::string kModified = R"({"kind":"Status","message":"the object has been modified","code":409})";
const std::string kForbidden = R"({"kind":"Status","message":"no right to do that","code":403})";

// Devices of the node alone.
std::string allocation_on(const std::string& node) {
    return R"("allocation":{"devices":{"results":[{"request":"r","driver":"d.example","pool":")" + node +
           R"(","device":"g0"}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name",)"
           R"("operator":"In","values":[")" +
           node + R"("]}]}]}})";
}
std::string reserved_for(const std::string& uid) {
    return R"(,"reservedFor":[{"resource":"pods","name":"x","uid":")" + uid + R"("}])";
}
std::string claim_text(const std::string& status, const std::string& version = "9") {
    return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"dev","namespace":"ns",)"
           R"("uid":"u-d","resourceVersion":")" +
           version + R"(","finalizers":[)" + kProtected +
           R"(]},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}},"status":{)" +
           status + "}}";
}

Exchange exchange(const std::string& method, const std::string& path, const std::string& body, int status = 200) {
    return {method, path, {}, {{answer_bytes(status, body), 0}}, true};
}
Exchange read_as(const std::string& status, const std::string& version = "9") {
    return exchange("GET", kPath, claim_text(status, version));
}
Exchange written(int status = 200, const std::string& body = "{}") {
    return exchange("PATCH", kPath + "/status", body, status);
}

struct Returned {
    explicit Returned(std::vector<Exchange> exchanges) : server(std::move(exchanges)), http(access_to(server)) {}

    bool gives_back(const std::string& uid = "u-p") {
        returns.give_back("ns/dev", uid);
        return until([this] { turn(); }, [this] { return !returns.under_way("ns/dev"); });
    }
    void turn() {
        http.turn(std::chrono::milliseconds(1));
        timers.turn(Clock::now());
        requests.turn(Clock::now());
    }
    std::vector<std::string> bodies() const {
        std::vector<std::string> made;
        for (const CameIn& one : server.requests()) {
            if (one.method == "PATCH") {
                made.push_back(one.body);
            }
        }
        return made;
    }

    PlayedServer server;
    HttpClient http;
    Timers timers;
    Random random{3};
    PacedRequests requests{http};
    std::vector<std::string> kept;
    ClaimReturns returns{requests, timers, random, [this](const std::string& claim, const std::string& why) {
                             kept.push_back(claim + ": " + why);
                         }};
};

std::string cleared(const std::string& version = "9") {
    return R"({"metadata":{"uid":"u-d","resourceVersion":")" + version +
           R"("},"status":{"allocation":null,"reservedFor":null,"devices":null}})";
}

TEST(ClaimReturns, allocation_reservations_and_states_of_devices_are_taken_out_of_the_version_that_was_read) {
    for (const std::string& reserved : {std::string(), reserved_for("u-p")}) {
        Returned world({read_as(allocation_on("n1") + reserved), written()});
        ASSERT_TRUE(world.gives_back());
        EXPECT_THAT(world.bodies(), ElementsAre(cleared()));
        EXPECT_THAT(world.kept, IsEmpty());
    }
}

TEST(ClaimReturns, a_conflict_is_read_again) {
    Returned world({read_as(allocation_on("n1")), written(409, kModified),
                    read_as(allocation_on("n1") + reserved_for("u-p"), "10"), written()});
    ASSERT_TRUE(world.gives_back());
    EXPECT_THAT(world.bodies(), ElementsAre(cleared(), cleared("10")));
    EXPECT_THAT(world.kept, IsEmpty());
}

TEST(ClaimReturns, a_claim_that_another_pod_has_by_now_is_kept) {
    Returned world({read_as(allocation_on("n1")), written(409, kModified),
                    read_as(allocation_on("n1") + reserved_for("u-o"), "10")});
    ASSERT_TRUE(world.gives_back());
    EXPECT_EQ(world.bodies().size(), 1u);
    EXPECT_THAT(world.kept, ElementsAre("ns/dev: another pod has it by now"));
    Returned gone({read_as(allocation_on("n1") + reserved_for("u-p"))});
    ASSERT_TRUE(gone.gives_back("")) << "for a pod that is not there any more";
    EXPECT_THAT(gone.bodies(), IsEmpty());
    EXPECT_EQ(gone.kept.size(), 1u);
}

TEST(ClaimReturns, what_has_nothing_is_not_written_and_what_is_refused_is_kept) {
    Returned nothing({read_as("")});
    ASSERT_TRUE(nothing.gives_back());
    EXPECT_THAT(nothing.bodies(), IsEmpty());
    EXPECT_THAT(nothing.kept, IsEmpty());
    Returned refused({read_as(allocation_on("n1")), written(403, kForbidden)});
    ASSERT_TRUE(refused.gives_back());
    EXPECT_THAT(refused.kept, ElementsAre("ns/dev: status 403: no right to do that"));
    Returned gone({exchange("GET", kPath, "{}", 404)});
    ASSERT_TRUE(gone.gives_back());
    EXPECT_EQ(gone.kept.size(), 1u);
}

TEST(ClaimReturns, devices_are_written_only_after_what_the_claim_had_is_gone) {
    const DeviceStep step = {"ns/dev", {{"r", "d.example", "n2", "g0", false}}, {}, {}};
    Returned world({read_as(allocation_on("n1")), written(), read_as("", "10"),
                    exchange("GET", "/apis/resource.k8s.io/v1/deviceclasses/gpu", "{}"), written()});
    std::vector<std::string> outcomes;
    ClaimRemovals removals(world.requests, world.timers, world.random, [](const std::string&) {});
    Preparer preparer(
        world.requests, world.timers, world.random, world.returns, removals,
        [](const StorageStep&, const std::string&) { return StorageState{}; },
        [&](const PodName& pod, const std::string& node) { outcomes.push_back(pod.key + " at " + node); },
        [&](const PodName&, const std::string& why) { outcomes.push_back(why); });
    world.returns.give_back("ns/dev", "u-p");
    preparer.prepare({"ns/p", "u-p"}, "n2", {.storage = {}, .devices = {step}, .fault = {}}, std::chrono::seconds(60));
    ASSERT_TRUE(until([&] { world.turn(); }, [&] { return preparer.under_way() == 0; }));
    EXPECT_THAT(outcomes, ElementsAre("ns/p at n2"));
    ASSERT_EQ(world.bodies().size(), 2u);
    EXPECT_EQ(world.bodies()[0], cleared());
    EXPECT_THAT(world.bodies()[1], HasSubstr(R"("pool":"n2","device":"g0")"));
}

// --- books and engine

std::string slice_of(const std::string& node) {
    return R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"s-)" + node +
           R"("},"spec":{"driver":"d.example","nodeName":")" + node + R"(","pool":{"name":")" + node +
           R"(","generation":1,"resourceSliceCount":1},"devices":[{"name":"g0"}]}})";
}
const std::string kClass =
    R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},"spec":{}})";
const std::string kUses = R"("resourceClaims":[{"name":"d","resourceClaimName":"dev"}])";

// The claim has a device of a node that is full; another node has room.
class Giving : public testing::Test {
protected:
    void SetUp() override {
        cluster.put(kClass);
        cluster.put(slice_of("n1"));
        cluster.put(claim_text(allocation_on("n1")));
        cluster.node("n1");
        cluster.node("n2");
        cluster.pod("full", R"("nodeName":"n1")", "2");
    }
    SmallCluster cluster;
};

TEST_F(Giving, the_pod_gets_devices_elsewhere_though_the_API_server_still_has_the_old_ones) {
    cluster.put(slice_of("n2"));
    cluster.pod("p", kUses);
    EXPECT_EQ(cluster.of("p"), "n2");
    EXPECT_THAT(cluster.given_back(), ElementsAre("ns/dev for kube/ns/p"));
    ASSERT_EQ(cluster.steps("p").devices.size(), 1u) << cluster.steps("p").fault;
    EXPECT_THAT(cluster.steps("p").devices[0].devices, ElementsAre(GivenDevice{"r", "d.example", "n2", "g0", false}));
    cluster.put(claim_text(allocation_on("n1") + reserved_for("u-p")));
    EXPECT_THAT(cluster.books().claims_to_prepare("ns/p", "n2", "").devices, IsEmpty())
        << "what is said of it anew counts: it is allocated and reserved";
}

TEST_F(Giving, a_claim_that_is_kept_has_its_devices_again_for_the_engine_too) {
    cluster.pod("p", kUses);
    EXPECT_THAT(cluster.of("p"), HasSubstr("deallocation of ResourceClaim completed"));
    EXPECT_EQ(cluster.given_back().size(), 1u);
    cluster.put(claim_text(allocation_on("n1")));  // a late echo
    cluster.run();
    EXPECT_EQ(cluster.given_back().size(), 1u);
    cluster.books().keep("ns/dev");
    EXPECT_TRUE(until([&] { cluster.run(); }, [&] { return cluster.given_back().size() == 2; }))
        << "tried again, the pod finds the claim where it was";
}

TEST_F(Giving, a_claim_that_the_API_server_has_allocated_is_not_prepared_with_other_devices) {
    cluster.put(slice_of("n2"));
    cluster.forget_what_is_given_back();  // as the successor of a process that was told, and ended
    cluster.pod("p", kUses);
    EXPECT_EQ(cluster.of("p"), "n2");
    EXPECT_EQ(cluster.steps("p").fault, "resource claim ns/dev is allocated by now");
    cluster.remember_what_is_given_back();
    cluster.books().nack("ns/p", "allocated by now");
    EXPECT_TRUE(until([&] { cluster.run(); }, [&] { return cluster.steps("p").fault.empty(); }));
    EXPECT_EQ(cluster.given_back().size(), 2u) << "told once more";
    EXPECT_EQ(cluster.steps("p").devices.size(), 1u);
}

// --- a whole shim

TEST(WholeShim, a_claim_is_given_back_and_the_pod_bound_with_what_it_got) {
    const std::map<std::string, std::vector<std::string>, std::less<>> objects = {
        {"Node",
         {R"({"metadata":{"name":"n1"},"spec":{"unschedulable":true},"status":{"allocatable":{"cpu":"2","pods":"9"}}})",
          R"({"metadata":{"name":"n2"},"status":{"allocatable":{"cpu":"2","pods":"9"}}})"}},
        {"DeviceClass", {kClass}},
        {"ResourceSlice", {slice_of("n1"), slice_of("n2")}},
        {"ResourceClaim", {claim_text(allocation_on("n1"))}},
        {"Pod",
         {R"({"metadata":{"name":"p","namespace":"ns","uid":"u-p"},"spec":{)" + kUses +
          R"(,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}})"}}};
    std::vector<Exchange> exchanges;
    for (const Resource& resource : watched_resources()) {
        const auto found = objects.find(resource.kind);
        const auto items = found == objects.end() ? std::vector<std::string>() : found->second;
        const std::string path(resource.path);
        exchanges.push_back(listed(path, list_text(std::string(resource.kind), "1", items)));
        exchanges.push_back(watched(path, ""));
    }
    const std::string binding = "/api/v1/namespaces/ns/pods/p/binding";
    for (Exchange& one :
         std::vector<Exchange>{read_as(allocation_on("n1")), written(), read_as("", "10"),
                               exchange("GET", "/apis/resource.k8s.io/v1/deviceclasses/gpu", kClass), written(),
                               exchange("POST", binding, R"({"kind":"Status","status":"Success","code":201})", 201)}) {
        exchanges.push_back(std::move(one));
    }
    const PlayedServer::Fault fine{PlayedServer::Fault::Kind::answer, answer_bytes(200, "{}")};
    PlayedServer server(std::move(exchanges), [&](const CameIn& came) {
        const bool event = came.target.find("/events") != std::string::npos;
        return event || came.path() == "/api/v1/namespaces/ns/pods/p/status" ? &fine : nullptr;
    });
    ShimOptions options;
    options.access = access_to(server);
    std::vector<std::string> log;
    Shim shim(
        options,
        [](Books& books, DecisionHandler& handler, std::string&) {
            return EmbeddedPartition::stated_by(books, kube_options(), handler,
                                                [](const std::string& what) { ADD_FAILURE() << what; });
        },
        [&](const std::string& line) { log.push_back(line); });
    ASSERT_TRUE(
        until([&] { shim.turn(std::chrono::milliseconds(1)); }, [&] { return shim.binder().counters().bound == 1; }))
        << testing::PrintToString(log) << testing::PrintToString(server.unexpected());
    EXPECT_THAT(server.unexpected(), IsEmpty());
    EXPECT_THAT(server.not_asked_for(), IsEmpty());
    EXPECT_THAT(log, Contains("Claim ns/dev: given back for kube/ns/p"));
    std::vector<std::string> writes;
    for (const CameIn& came : server.requests()) {
        if (came.path() == kPath + "/status" || came.path() == binding) {
            writes.push_back(came.body);
        }
    }
    ASSERT_EQ(writes.size(), 3u);
    EXPECT_EQ(writes[0], cleared());
    EXPECT_THAT(writes[1], HasSubstr(R"("pool":"n2","device":"g0")"));
    EXPECT_THAT(writes[2], HasSubstr(R"("name":"n2")"));
}

}  // namespace
}  // namespace bayplan::kube_shim::giving_back
