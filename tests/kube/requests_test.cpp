// Requests of pods, by the rules of Kubernetes: table by table.
#include "objects_in_text.h"

#include <gmock/gmock.h>

#include "kube/requests.h"
#include "kube/resource_names.h"

namespace bayplan::kube {
namespace {

using testing::DumpOf;
using testing::Sent;
using Amounts = std::map<std::string, std::int64_t>;

// A pod with this spec (and status) and its amounts.
Sent pod(const std::string& spec, const std::string& status = "{}", DumpOptions options = {}) {
    static std::vector<std::unique_ptr<DumpOf>> kept;  // records point into their dumps
    kept.push_back(std::make_unique<DumpOf>(
        R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"}},{"kind":"Pod","metadata":{"name":"p",
        "namespace":"ns"},"spec":)" +
            spec + R"(,"status":)" + status + "}]}",
        std::move(options)));
    EXPECT_THAT(kept.back()->faults(), ::testing::IsEmpty());
    return kept.back()->sent();
}

Amounts requests(const std::string& spec, const std::string& status = "{}") {
    return pod(spec, status).requests("ns/p");
}

std::string container(const std::string& requests, const std::string& more = "") {
    return R"({"name":"c",)" + more + R"("resources":{"requests":{)" + requests + "}}}";
}
std::string cpu(const std::string& quantity, const std::string& more = "") {
    return container(R"("cpu":")" + quantity + "\"", more);
}
const std::string kSidecar = R"("restartPolicy":"Always",)";

std::string spec(const std::string& init, const std::string& main, const std::string& more = "") {
    return R"({"initContainers":[)" + init + R"(],"containers":[)" + main + "]" + more + "}";
}

std::int64_t cpu_of(const std::string& spec) { return requests(spec).at("cpu"); }

TEST(Requests, R1OrdinaryInitContainersRunOneByOne) {
    EXPECT_EQ(cpu_of(spec(cpu("2") + "," + cpu("1"), cpu("1") + "," + cpu("1"))), 2'000);
    EXPECT_EQ(cpu_of(spec(cpu("3") + "," + cpu("1"), cpu("1") + "," + cpu("1"))), 3'000);
}

TEST(Requests, R2ASidecarRunsBesideWhatComesAfterIt) {
    EXPECT_EQ(cpu_of(spec(cpu("1", kSidecar) + "," + cpu("2"), cpu("1"))), 3'000);
}

TEST(Requests, R3AnInitContainerBeforeTheSidecarRunsWithoutIt) {
    EXPECT_EQ(cpu_of(spec(cpu("2") + "," + cpu("1", kSidecar), cpu("1"))), 2'000);
}

TEST(Requests, R4PodLevelRequestsReplaceAndOverheadIsAdded) {
    const std::string more = R"(,"resources":{"requests":{"cpu":"2","example.com/gpu":"7"}},"overhead":{"cpu":"250m"})";
    const Amounts amounts = requests(spec(cpu("1", kSidecar) + "," + cpu("2"), cpu("1"), more));
    EXPECT_EQ(amounts, (Amounts{{"cpu", 2'250}, {"pods", 1}}));  // other names do not count at pod level
}

TEST(Requests, R5RoundingIsPerPodAfterTheExactSum) {
    EXPECT_EQ(requests(spec("", container(R"("memory":"1500m")")))["memory"], 2);
    const std::string half = container(R"("memory":"1500m")");
    EXPECT_EQ(requests(spec("", half + "," + half))["memory"], 3);
    EXPECT_EQ(cpu_of(spec("", cpu("100u") + "," + cpu("100u") + "," + cpu("800u"))), 1);
}

TEST(Requests, SidecarsAddUpBeforeLaterInitContainers) {
    EXPECT_EQ(cpu_of(spec(cpu("1", kSidecar) + "," + cpu("1", kSidecar) + "," + cpu("2"), cpu("1"))), 4'000);
}

TEST(Requests, OnlyTrackedNamesCountAndEveryPodIsOne) {
    const Amounts amounts = requests(spec(
        "", container(R"("cpu":"1","ephemeral-storage":"1Gi","example.com/gpu":"2","hugepages-2Mi":"4Mi",)"
                      R"("kubernetes.io/batch-cpu":3,"attachable-volumes-x":1,"storage":"1","plain":"1","pods":"5",)"
                      R"("requests.example.com/x":"1","bad..domain/x":"1","example.com/":"1","memory":"0")")));
    EXPECT_EQ(amounts, (Amounts{{"cpu", 1'000},
                                {"ephemeral-storage", 1 << 30},
                                {"example.com/gpu", 2},
                                {"hugepages-2Mi", 4 << 20},
                                {"kubernetes.io/batch-cpu", 3},
                                {"attachable-volumes-x", 1},
                                {"pods", 1}}));
}

TEST(Requests, LimitsAreNotRequestsUnlessDefaultsAreAskedFor) {
    const std::string limits = R"({"containers":[{"name":"c","resources":{"limits":{"cpu":"2"}}}]})";
    EXPECT_EQ(requests(limits), (Amounts{{"pods", 1}}));
    EXPECT_EQ(pod(limits, "{}", {.defaults = true, .schedulers = {}}).requests("ns/p"),
              (Amounts{{"cpu", 2'000}, {"pods", 1}}));
}

struct Score {
    std::int64_t node_cpu, node_memory, own_cpu, own_memory;
    bool operator==(const Score&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Score& score) {
    return out << score.node_cpu << " " << score.node_memory << " " << score.own_cpu << " " << score.own_memory;
}

Score score(const std::string& spec) {
    const Sent sent = pod(spec);
    const AskItem& ask = sent.ask("ns/p");
    return {ask.node_cpu, ask.node_memory, ask.own_cpu, ask.own_memory};
}

constexpr std::int64_t kMiB = 1 << 20;

TEST(Requests, ScoresCountADefaultPerContainerWithoutARequest) {
    EXPECT_EQ(score(spec("", "{},{}")), (Score{200, 400 * kMiB, 200, 400 * kMiB}));
    EXPECT_EQ(score(spec("", cpu("1") + ",{}")), (Score{1'100, 400 * kMiB, 1'100, 400 * kMiB}));
    EXPECT_EQ(score(spec("", container(R"("cpu":"0","memory":0)"))), (Score{0, 0, 0, 0}));  // an explicit 0 stays
    EXPECT_EQ(score(spec("{}", cpu("50m"))), (Score{100, 200 * kMiB, 100, 200 * kMiB}));    // init containers too
    EXPECT_EQ(score(spec("", "{}", R"(,"overhead":{"cpu":"1"})")), (Score{1'100, 200 * kMiB, 1'100, 200 * kMiB}));
}

TEST(Requests, OnlyTheNodeSeesPodLevelRequests) {
    EXPECT_EQ(score(spec("", cpu("1") + ",{}", R"(,"resources":{"requests":{"cpu":"3"}})")),
              (Score{3'000, 400 * kMiB, 1'100, 400 * kMiB}));
    // Missing in one container but not at pod level: no default on the node.
    EXPECT_EQ(score(spec("", container(R"("memory":"1Mi")") + ",{}", R"(,"resources":{"requests":{"cpu":"3"}})")),
              (Score{3'000, 1 * kMiB, 200, 201 * kMiB}));
    // A name that may not stand at pod level sets nothing.
    EXPECT_EQ(score(spec("", "{},{}", R"(,"resources":{"requests":{"example.com/gpu":"3"}})")),
              (Score{200, 400 * kMiB, 200, 400 * kMiB}));
}

const std::string kBound = R"(,"nodeName":"n")";

std::string resized(const std::string& more) { return R"({"containerStatuses":[{"name":"c",)" + more + "}]}"; }

TEST(Requests, OfAPodOnANodeTheHighestOfSpecActuatedAndAllocatedCounts) {
    const std::string both = R"("resources":{"requests":{"cpu":"3"}},"allocatedResources":{"cpu":"2","memory":"5"})";
    EXPECT_EQ(requests(spec("", cpu("1"), kBound), resized(both)),
              (Amounts{{"cpu", 3'000}, {"memory", 5}, {"pods", 1}}));
    EXPECT_EQ(requests(spec("", cpu("4"), kBound), resized(both)).at("cpu"), 4'000);
    EXPECT_EQ(requests(spec("", cpu("1")), resized(both)).at("cpu"), 1'000);  // pending: the spec alone
}

TEST(Requests, AnInfeasibleResizeTakesTheSpecAway) {
    const std::string statuses = R"("containerStatuses":[{"name":"c","resources":{"requests":{"cpu":"3"}},)"
                                 R"("allocatedResources":{"cpu":"2"}}])";
    const auto with = [&](const std::string& reason) {
        return "{" + statuses + R"(,"conditions":[{"type":"PodResizePending","status":"True",
        "reason":")" +
               reason + "\"}]}";
    };
    EXPECT_EQ(requests(spec("", cpu("9"), kBound), with("Infeasible")).at("cpu"), 3'000);
    EXPECT_EQ(requests(spec("", cpu("9"), kBound), with("Deferred")).at("cpu"), 9'000);
}

TEST(Requests, OfInitContainersOnlySidecarsAreResized) {
    const std::string status = R"({"initContainerStatuses":[{"name":"c","resources":{"requests":{"cpu":"5"}}}]})";
    EXPECT_EQ(requests(spec(cpu("1", kSidecar), cpu("1"), kBound), status).at("cpu"), 6'000);
    EXPECT_EQ(requests(spec(cpu("1"), cpu("1"), kBound), status).at("cpu"), 1'000);
}

TEST(Requests, TooMuchIsCutAndSaid) {
    const DumpOf of(R"({"kind":"Pod","metadata":{"name":"p"},"spec":)" +
                    spec("", container(R"("memory":"8Pi")") + "," + container(R"("memory":"1")")) + "}");
    EXPECT_EQ(of.sent().requests("default/p").at("memory"), kAmountMax);
    EXPECT_THAT(of.faults(), ::testing::ElementsAre(
                                 "test: Pod p: spec: requests more memory than 2^53, which is counted in its place"));
}

TEST(Requests, ExtendedNamesAreOfADomain) {
    for (const std::string_view name : {"nvidia.com/gpu", "a/b", "x-y.example.com/A_b.c-d"}) {
        EXPECT_TRUE(is_extended_resource(name)) << name;
    }
    for (const std::string_view name :
         {"gpu", "a.kubernetes.io/b", "kubernetes.io/b", "A.com/b", "-a/b", "a-/b", "a..b/c", ".a/b", "a./b", "a/",
          "/b", "a/-b", "a/b-", "a/b/c", "requests.a/b"}) {
        EXPECT_FALSE(is_extended_resource(name)) << name;
    }
}

}  // namespace
}  // namespace bayplan::kube
