// Conditions, events and victims: what is written, in which order, and what is not.
#include "kube_shim/pod_reports.h"

#include <gmock/gmock.h>

#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kReported = "/api/v1/namespaces/default/pods/a";
const PodName kName{"default/a", "u-a"};

std::string pod_answer() { return answer_bytes(200, object_text("Pod", "a", "9")); }

struct Reported {
    explicit Reported(std::vector<Exchange> exchanges, PlayedServer::Faults faults = {})
        : server(std::move(exchanges), std::move(faults)), http(access_to(server)) {}
    bool comes(std::size_t requests) {
        return until(
            [this] {
                http.turn(std::chrono::milliseconds(1));
                timers.turn(Clock::now());
                paced.turn(Clock::now());
            },
            [&] { return server.requests().size() >= requests && paced.running() == 0; });
    }

    PlayedServer server;
    HttpClient http;
    Timers timers;
    Random random{3};
    PacedRequests paced{http};
    std::vector<std::string> faults;
    PodReports reports{paced, timers, random, "test-1", [this](const std::string& what) { faults.push_back(what); }};
};

StatusChange failed(const std::string& message) {
    StatusChange change;
    change.condition = PodCondition{false, "Unschedulable", message};
    return change;
}

TEST(PodRequests, the_preemptor_is_named_whatever_the_release_is_for) {
    EXPECT_EQ(preemptor_in("preempted by shim-a/ns/high"), "ns/high");
    EXPECT_EQ(preemptor_in("preempted by shim-a/ns/high for the guarantee of root.prod"), "ns/high");
    EXPECT_EQ(preemptor_in("preempted by shim-a/ns/high of DaemonSet"), "ns/high");
    EXPECT_EQ(preemptor_in("preempted"), "");
}

TEST(PodReports, condition_and_nominated_node_go_in_one_patch) {
    Reported world({{"PATCH", kReported + "/status", {}, {{pod_answer(), 0}}, true}});
    world.reports.status(kName, failed("0/1 nodes are available"), {});
    StatusChange nominated;
    nominated.nominated_node = "n1";
    world.reports.status(kName, nominated, {});
    ASSERT_TRUE(world.comes(1));
    const std::vector<CameIn> requests = world.server.requests();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_THAT(requests[0].body, HasSubstr(R"("metadata":{"uid":"u-a"})"));
    EXPECT_THAT(requests[0].body, HasSubstr(R"("type":"PodScheduled","status":"False","reason":"Unschedulable")"));
    EXPECT_THAT(requests[0].body, HasSubstr(R"("nominatedNodeName":"n1")"));
}

TEST(PodReports, what_the_status_says_already_is_not_written) {
    Reported world({});
    PodWords now;
    now.condition = {false, "Unschedulable", "no"};
    now.nominated_node = "n1";
    StatusChange change = failed("no");
    change.nominated_node = "n1";
    world.reports.status(kName, change, now);
    ASSERT_TRUE(world.comes(0));
    EXPECT_EQ(world.reports.counters().statuses, 0u);
}

TEST(PodReports, a_nomination_that_ended_is_taken_away) {
    Reported world({{"PATCH", kReported + "/status", {}, {{pod_answer(), 0}}, true}});
    PodWords now;
    now.nominated_node = "n1";
    StatusChange change;
    change.nominated_node = "";
    world.reports.status(kName, change, now);
    ASSERT_TRUE(world.comes(1));
    EXPECT_THAT(world.server.requests()[0].body, HasSubstr(R"("nominatedNodeName":null)"));
}

TEST(PodReports, a_patch_that_failed_goes_again_with_what_is_wanted_by_then) {
    const PlayedServer::Fault broken{PlayedServer::Fault::Kind::answer, answer_bytes(500, "{}")};
    bool first = true;
    Reported world({{"PATCH", kReported + "/status", {}, {{pod_answer(), 0}}, true}},
                   [&](const CameIn&) { return std::exchange(first, false) ? &broken : nullptr; });
    world.reports.status(kName, failed("old"), {});
    ASSERT_TRUE(world.comes(1));
    world.reports.status(kName, failed("new"), {});
    ASSERT_TRUE(world.comes(2));
    EXPECT_THAT(world.server.requests()[1].body, HasSubstr(R"("message":"new")"));
    EXPECT_TRUE(world.faults.empty());
}

TEST(PodReports, a_victim_is_marked_then_deleted_if_it_is_still_that_pod) {
    Reported world({{"PATCH", kReported + "/status", {}, {{pod_answer(), 0}}, true},
                    {"DELETE", kReported, {}, {{pod_answer(), 0}}, true}});
    int deleted = 0;
    for (int i = 0; i < 3; ++i) {
        world.reports.end_victim(kName, "default/high", "default-scheduler",
                                 [&](bool is_so) { deleted += is_so ? 1 : 100; });
    }
    ASSERT_TRUE(world.comes(2));
    const std::vector<CameIn> requests = world.server.requests();
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0].method, "PATCH");
    EXPECT_THAT(requests[0].body,
                HasSubstr(R"("type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler")"));
    EXPECT_EQ(requests[1].method, "DELETE");
    EXPECT_EQ(requests[1].body, R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u-a"}})");
    EXPECT_EQ(deleted, 1);
}

TEST(PodReports, a_victim_that_went_by_itself_is_done) {
    Reported world({{"PATCH", kReported + "/status", {}, {{answer_bytes(404, "{}"), 0}}, true}});
    world.reports.end_victim(kName, "default/high", "default-scheduler", [](bool) { ADD_FAILURE(); });
    ASSERT_TRUE(world.comes(1));
    EXPECT_TRUE(world.faults.empty());
    EXPECT_EQ(world.server.requests().size(), 1u);
}

TEST(PodReports, an_event_names_the_profile_and_is_cut_between_letters) {
    Reported world(
        {{"POST", "/apis/events.k8s.io/v1/namespaces/default/events", {}, {{answer_bytes(201, "{}"), 0}}, true}});
    std::string note(1'023, 'x');
    note += "\xc3\xa4 and more";
    world.reports.event({.regarding = kName,
                         .resource_version = "7",
                         .related = PodName{"other/b", "u-b"},
                         .reason = "Scheduled",
                         .action = "Binding",
                         .note = note,
                         .scheduler = "mine"});
    ASSERT_TRUE(world.comes(1));
    const std::string body = world.server.requests()[0].body;
    EXPECT_THAT(body, HasSubstr(R"("reportingController":"mine","reportingInstance":"test-1")"));
    EXPECT_THAT(body, HasSubstr(R"("note":")" + std::string(1'023, 'x') + "\""));
    EXPECT_THAT(body,
                HasSubstr(R"("related":{"apiVersion":"v1","kind":"Pod","namespace":"other","name":"b","uid":"u-b"})"));
}

TEST(PodRequests, times_are_texts) {
    const auto time = std::chrono::system_clock::time_point(std::chrono::microseconds(1'767'225'599'000'042));
    EXPECT_EQ(time_text(time, false), "2025-12-31T23:59:59Z");
    EXPECT_EQ(time_text(time, true), "2025-12-31T23:59:59.000042Z");
}

}  // namespace
}  // namespace bayplan::kube_shim
