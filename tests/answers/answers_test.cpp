// Each answer against the text that YuniKorn's schema makes of a small partition.
#include <gtest/gtest.h>

#include "small_partition.h"

namespace bayplan::answers {
namespace {

const Place kPlace{.partition = "default", .cluster = "rm:123", .started_ns = 5, .zero_tick_ns = 1'000, .build_of = {}};

// Three nodes, one of them drained; pods of other schedulers; applications in queues of the file and in made ones, some of
// whose asks have no room in a queue (batch-2, big-1) or for their user (web-3).
class AnswersTest : public ::testing::Test {
protected:
    AnswersTest() {
        nodes_and_foreign_pods();
        partition_.application("app-web", "root.prod.web", "alice");
        AskItem web;
        web.priority = 5;
        web.originator = true;
        partition_.ask("web-1", "app-web", {{"cpu", 1000}, {"memory", 2'000'000'000}, {"pods", 1}}, 1700000010, web);
        web.originator = false;
        partition_.ask("web-2", "app-web", {{"cpu", 1000}, {"memory", 2'000'000'000}, {"pods", 1}}, 1700000011, web);
        web.priority = -3;
        partition_.ask("web-3", "app-web", {{"cpu", 1000}, {"memory", 3'000'000'000}, {"pods", 1}}, 1700000012, web);
        partition_.application("app-batch", "root.batch", "bob");
        const SmallPartition::Amounts batch = {{"cpu", 1000}, {"memory", 3'000'000'000}, {"pods", 1}};
        partition_.ask("batch-1", "app-batch", batch, 1700000020);
        partition_.ask("batch-2", "app-batch", batch, 1700000021);
        AskItem bound;
        bound.required_node = partition_.shim().id("n2");
        partition_.ask("batch-3", "app-batch", {{"cpu", 500}, {"memory", 1'000'000'000}, {"pods", 1}}, 1700000022,
                       bound);
        partition_.application("app-dyn", "", "dave.smith");
        partition_.ask("dyn-1", "app-dyn", {{"cpu", 250}, {"memory", 250'000'000}, {"pods", 1}}, 1700000040);
        partition_.application("app-new", "root.prod.api", "frank");
        partition_.application("app-big", "root.users.gina", "gina");
        partition_.ask("big-1", "app-big", {{"cpu", 60'000}, {"pods", 1}}, 1700000060);
        version_ = partition_.version();
    }

    void nodes_and_foreign_pods() {
        partition_.node("n1", {{"cpu", 16'000}, {"memory", 16'000'000'000}, {"pods", 110}},
                        {{"zone", "a"}, {"si/hostname", "n1.example"}, {"si/rackname", "/rack-1"}});
        partition_.node("n2", {{"cpu", 8'000}, {"memory", 8'000'000'000}, {"pods", 110}, {"nvidia.com/gpu", 2}});
        partition_.node("n3", {{"cpu", 4'000}, {"memory", 4'000'000'000}, {"pods", 110}}, {}, NodeAction::create_drain);
        AskItem foreign;
        foreign.foreign = foreign.is_static = true;
        foreign.node = partition_.shim().id("n1");
        partition_.ask("kube-proxy-n1", "", {{"cpu", 100}, {"memory", 1'000'000'000}}, 1700000000, foreign);
        foreign.is_static = false;
        foreign.node = partition_.shim().id("n2");
        partition_.ask("other-n2", "", {{"cpu", 250}, {"memory", 500'000'000}, {"pods", 1}}, 1700000000, foreign);
    }

    // The whole of an answer, or "none".
    static std::string text(AnswerPtr answer) { return answer == nullptr ? "none" : whole(*answer); }

    SmallPartition partition_;
    VersionPtr version_;
};

TEST_F(AnswersTest, nodes_have_their_pods_and_those_of_other_schedulers) {
    const std::string n1 =
        R"({"nodeID":"n1","hostName":"n1.example","rackName":"/rack-1",)"
        R"("attributes":{"si/hostname":"n1.example","si/node-partition":"[rm:123]default","si/rackname":"/rack-1",)"
        R"("zone":"a"},)"
        R"("capacity":{"memory":16000000000,"pods":110,"vcore":16000},"allocated":{"memory":5000000000,)"
        R"("pods":2,"vcore":2000},"occupied":{"memory":1000000000,"vcore":100},)"
        R"("available":{"memory":10000000000,"pods":108,"vcore":13900},"utilized":{"memory":31,"pods":1,)"
        R"("vcore":12},"allocations":[{"allocationKey":"batch-1","requestTime":1700000020000000000,)"
        R"("allocationTime":1700000020000000000,"resource":{"memory":3000000000,"pods":1,"vcore":1000},)"
        R"("priority":"0","nodeId":"n1","applicationId":"app-batch"},{"allocationKey":"web-1",)"
        R"("requestTime":1700000010000000000,"allocationTime":1700000010000000000,)"
        R"("resource":{"memory":2000000000,"pods":1,"vcore":1000},"priority":"5","nodeId":"n1",)"
        R"("applicationId":"app-web","originator":true}],)"
        R"("foreignAllocations":[{"allocationKey":"kube-proxy-n1","allocationTime":1700000000000000000,)"
        R"("resource":{"memory":1000000000,"vcore":100},"priority":"0","nodeId":"n1"}],"schedulable":true,)"
        R"("isReserved":false})";
    const std::string n2 =
        R"({"nodeID":"n2","attributes":{"si/node-partition":"[rm:123]default"},)"
        R"("capacity":{"memory":8000000000,"nvidia.com/gpu":2,"pods":110,"vcore":8000},)"
        R"("allocated":{"memory":3250000000,"pods":3,"vcore":1750},"occupied":{"memory":500000000,"pods":1,)"
        R"("vcore":250},"available":{"memory":4250000000,"nvidia.com/gpu":2,"pods":106,"vcore":6000},)"
        R"("utilized":{"memory":40,"pods":2,"vcore":21},"allocations":[{"allocationKey":"batch-3",)"
        R"("requestTime":1700000022000000000,"allocationTime":1700000022000000000,)"
        R"("resource":{"memory":1000000000,"pods":1,"vcore":500},"priority":"0","nodeId":"n2",)"
        R"("applicationId":"app-batch"},{"allocationKey":"dyn-1","requestTime":1700000040000000000,)"
        R"("allocationTime":1700000040000000000,"resource":{"memory":250000000,"pods":1,"vcore":250},)"
        R"("priority":"0","nodeId":"n2","applicationId":"app-dyn"},{"allocationKey":"web-2",)"
        R"("requestTime":1700000011000000000,"allocationTime":1700000011000000000,)"
        R"("resource":{"memory":2000000000,"pods":1,"vcore":1000},"priority":"5","nodeId":"n2",)"
        R"("applicationId":"app-web"}],"foreignAllocations":[{"allocationKey":"other-n2",)"
        R"("allocationTime":1700000000000000000,"resource":{"memory":500000000,"pods":1,"vcore":250},)"
        R"("priority":"0","nodeId":"n2","preemptable":true}],"schedulable":true,"isReserved":false})";
    const std::string n3 =
        R"({"nodeID":"n3","attributes":{"si/node-partition":"[rm:123]default"},)"
        R"("capacity":{"memory":4000000000,"pods":110,"vcore":4000},)"
        R"("available":{"memory":4000000000,"pods":110,"vcore":4000},"schedulable":false,"isReserved":false})";
    EXPECT_EQ(text(nodes(version_, kPlace)), "[" + n1 + "," + n2 + "," + n3 + "]");
    EXPECT_EQ(node(version_, kPlace, "n2"), n2);
    EXPECT_EQ(node(version_, kPlace, "n9"), std::nullopt);
}

// Of an ask that its queue has no room for, and that is not guaranteed any.
const std::string kNobodyGoes =
    R"("allocationLog":[{"message":"Preemption preconditions failed","lastOccurrence":1000,"count":1},)"
    R"({"message":"Preemption queue guarantees check failed","lastOccurrence":1000,"count":1},)"
    R"({"message":"Preemption does not help","lastOccurrence":1000,"count":1},)"
    R"({"message":"Not enough queue quota","lastOccurrence":1000,"count":1}],)";

TEST_F(AnswersTest, applications_have_their_asks_and_allocations) {
    const std::string batch =
        R"({"applicationID":"app-batch","usedResource":{"memory":4000000000,"pods":2,"vcore":1500},)"
        R"("maxUsedResource":{"memory":4000000000,"pods":2,"vcore":1500},)"
        R"("pendingResource":{"memory":3000000000,"pods":1,"vcore":1000},"partition":"default",)"
        R"("queueName":"root.batch","submissionTime":1700000020000000000,)"
        R"("requests":[{"allocationKey":"batch-2","requestTime":1700000021000000000,)"
        R"("resource":{"memory":3000000000,"pods":1,"vcore":1000},"priority":"0",)"
        R"("applicationId":"app-batch",)" +
        kNobodyGoes +
        R"("schedulingAttempted":true}],)"
        R"("allocations":[{"allocationKey":"batch-1",)"
        R"("requestTime":1700000020000000000,"allocationTime":1700000020000000000,)"
        R"("resource":{"memory":3000000000,"pods":1,"vcore":1000},"priority":"0","nodeId":"n1",)"
        R"("applicationId":"app-batch"},{"allocationKey":"batch-3","requestTime":1700000022000000000,)"
        R"("allocationTime":1700000022000000000,"resource":{"memory":1000000000,"pods":1,"vcore":500},)"
        R"("priority":"0","nodeId":"n2","applicationId":"app-batch"}],"applicationState":"Running",)"
        R"("user":"bob","groups":["bob"],"stateLog":[{"time":1000,"applicationState":"Accepted"},)"
        R"({"time":1000,"applicationState":"Running"}],"startTime":0,"resourceHistory":{}})";
    const std::string big =
        R"({"applicationID":"app-big","pendingResource":{"pods":1,"vcore":60000},"partition":"default",)"
        R"("queueName":"root.users.gina","submissionTime":1700000060000000000,)"
        R"("requests":[{"allocationKey":"big-1","requestTime":1700000060000000000,"resource":{"pods":1,)"
        R"("vcore":60000},"priority":"0","applicationId":"app-big",)" +
        kNobodyGoes +
        R"("schedulingAttempted":true}],)"
        R"("applicationState":"Accepted",)"
        R"("user":"gina","groups":["gina"],"stateLog":[{"time":1000,"applicationState":"Accepted"}],)"
        R"("startTime":-62135596800000,"resourceHistory":{}})";
    const std::string dyn = R"({"applicationID":"app-dyn","usedResource":{"memory":250000000,"pods":1,"vcore":250},)"
                            R"("maxUsedResource":{"memory":250000000,"pods":1,"vcore":250},)"
                            R"("partition":"default","queueName":"root.users.dave_dot_smith",)"
                            R"("submissionTime":1700000040000000000,"allocations":[{"allocationKey":"dyn-1",)"
                            R"("requestTime":1700000040000000000,"allocationTime":1700000040000000000,)"
                            R"("resource":{"memory":250000000,"pods":1,"vcore":250},"priority":"0","nodeId":"n2",)"
                            R"("applicationId":"app-dyn"}],"applicationState":"Running","user":"dave.smith",)"
                            R"("groups":["dave.smith"],"stateLog":[{"time":1000,"applicationState":"Accepted"},)"
                            R"({"time":1000,"applicationState":"Running"}],"maxRequestPriority":-2147483648,)"
                            R"("startTime":0,"resourceHistory":{}})";
    const std::string fresh = R"({"applicationID":"app-new","partition":"default","queueName":"root.prod.api",)"
                              R"("submissionTime":1000,"applicationState":"New","user":"frank","groups":["frank"],)"
                              R"("maxRequestPriority":-2147483648,"startTime":-62135596800000,"resourceHistory":{}})";
    const std::string web =
        R"({"applicationID":"app-web","usedResource":{"memory":4000000000,"pods":2,"vcore":2000},)"
        R"("maxUsedResource":{"memory":4000000000,"pods":2,"vcore":2000},)"
        R"("pendingResource":{"memory":3000000000,"pods":1,"vcore":1000},"partition":"default",)"
        R"("queueName":"root.prod.web","submissionTime":1700000010000000000,)"
        R"("requests":[{"allocationKey":"web-3","requestTime":1700000012000000000,)"
        R"("resource":{"memory":3000000000,"pods":1,"vcore":1000},"priority":"-3",)"
        R"("applicationId":"app-web","allocationLog":[{"message":"Not enough user quota","lastOccurrence":1000,"count":1}]}],)"
        R"("allocations":[{"allocationKey":"web-1",)"
        R"("requestTime":1700000010000000000,"allocationTime":1700000010000000000,)"
        R"("resource":{"memory":2000000000,"pods":1,"vcore":1000},"priority":"5","nodeId":"n1",)"
        R"("applicationId":"app-web","originator":true},{"allocationKey":"web-2",)"
        R"("requestTime":1700000011000000000,"allocationTime":1700000011000000000,)"
        R"("resource":{"memory":2000000000,"pods":1,"vcore":1000},"priority":"5","nodeId":"n2",)"
        R"("applicationId":"app-web"}],"applicationState":"Running","user":"alice","groups":["alice"],)"
        R"("stateLog":[{"time":1000,"applicationState":"Accepted"},{"time":1000,"applicationState":"Running"}],)"
        R"("maxRequestPriority":-3,"startTime":0,"resourceHistory":{}})";
    EXPECT_EQ(text(applications(version_, kPlace, "")),
              "[" + batch + "," + big + "," + dyn + "," + fresh + "," + web + "]");
    EXPECT_EQ(text(applications(version_, kPlace, "new")), "[" + fresh + "]");
    EXPECT_EQ(text(applications(version_, kPlace, "failing")), "[]");
    EXPECT_EQ(text(applications_of_queue(version_, kPlace, "root.batch", "")), "[" + batch + "]");
    EXPECT_EQ(text(applications_of_queue(version_, kPlace, "root.batch", "accepted")), "[]");
    EXPECT_EQ(text(applications_of_queue(version_, kPlace, "root.prod", "")), "[]");
    EXPECT_EQ(text(applications_of_queue(version_, kPlace, "root.none", "")), "none");
    EXPECT_EQ(text(application(version_, kPlace, "app-web", "")), web);
    EXPECT_EQ(text(application(version_, kPlace, "app-web", "root.prod.web")), web);
    EXPECT_EQ(text(application(version_, kPlace, "app-web", "root.batch")), "none");
    EXPECT_EQ(text(application(version_, kPlace, "nope", "")), "none");
}

TEST_F(AnswersTest, queues_have_the_sums_of_their_applications) {
    EXPECT_EQ(text(queues(version_, kPlace)),
              R"({"queuename":"root","status":"Active","partition":"default",)"
              R"("pendingResource":{"memory":6000000000,"pods":3,"vcore":62000},)"
              R"("maxResource":{"memory":28000000000,"nvidia.com/gpu":2,"pods":330,"vcore":28000},)"
              R"("allocatedResource":{"memory":8250000000,"pods":5,"vcore":3750},)"
              R"("headroom":{"memory":19750000000,"nvidia.com/gpu":2,"pods":325,"vcore":24250},"isLeaf":false,)"
              R"("isManaged":true,"children":[{"queuename":"root.batch","status":"Active","partition":"",)"
              R"("pendingResource":{"memory":3000000000,"pods":1,"vcore":1000},)"
              R"("maxResource":{"memory":5000000000,"vcore":5000},"allocatedResource":{"memory":4000000000,)"
              R"("pods":2,"vcore":1500},"headroom":{"memory":1000000000,"nvidia.com/gpu":2,"pods":325,)"
              R"("vcore":3500},"isLeaf":true,"isManaged":true,"parent":"root","absUsedCapacity":{"memory":80,)"
              R"("vcore":30},"runningApps":1,"currentPriority":0,"sortingPolicy":"fifo","prioritySorting":true,)"
              R"("preemptionEnabled":true,"isPreemptionFence":false,"preemptionDelay":"30s",)"
              R"("quotaPreemptionDelay":"0s","isPriorityFence":false},{"queuename":"root.prod","status":"Active",)"
              R"("partition":"","pendingResource":{"memory":3000000000,"pods":1,"vcore":1000},)"
              R"("maxResource":{"memory":20000000000,"vcore":20000},"guaranteedResource":{"memory":4000000000,)"
              R"("vcore":4000},"allocatedResource":{"memory":4000000000,"pods":2,"vcore":2000},)"
              R"("headroom":{"memory":16000000000,"nvidia.com/gpu":2,"pods":325,"vcore":18000},"isLeaf":false,)"
              R"("isManaged":true,"properties":{"priority.offset":"10"},"parent":"root",)"
              R"("children":[{"queuename":"root.prod.api","status":"Active","partition":"",)"
              R"("headroom":{"memory":16000000000,"nvidia.com/gpu":2,"pods":325,"vcore":18000},"isLeaf":true,)"
              R"("isManaged":true,"properties":{"application.sort.policy":"fair","preemption.delay":"90s",)"
              R"("preemption.policy":"disabled","priority.offset":"0"},"parent":"root.prod",)"
              R"("currentPriority":-2147483648,"sortingPolicy":"fair","prioritySorting":true,)"
              R"("preemptionEnabled":false,"isPreemptionFence":false,"preemptionDelay":"1m30s",)"
              R"("quotaPreemptionDelay":"0s","isPriorityFence":false},{"queuename":"root.prod.web",)"
              R"("status":"Active","partition":"","pendingResource":{"memory":3000000000,"pods":1,"vcore":1000},)"
              R"("guaranteedResource":{"memory":2000000000,"vcore":2000},)"
              R"("allocatedResource":{"memory":4000000000,"pods":2,"vcore":2000},)"
              R"("headroom":{"memory":16000000000,"nvidia.com/gpu":2,"pods":325,"vcore":18000},"isLeaf":true,)"
              R"("isManaged":true,"properties":{"priority.offset":"0"},"parent":"root.prod","maxRunningApps":5,)"
              R"("runningApps":1,"currentPriority":-3,"sortingPolicy":"fifo","prioritySorting":true,)"
              R"("preemptionEnabled":true,"isPreemptionFence":false,"preemptionDelay":"30s",)"
              R"("quotaPreemptionDelay":"0s","isPriorityFence":false}],"childNames":["root.prod.api",)"
              R"("root.prod.web"],"absUsedCapacity":{"memory":20,"vcore":10},"runningApps":1,"currentPriority":7,)"
              R"("sortingPolicy":"fair","prioritySorting":true,"preemptionEnabled":true,)"
              R"("isPreemptionFence":false,"preemptionDelay":"30s","quotaPreemptionDelay":"0s",)"
              R"("isPriorityFence":false,"priorityOffset":10},{"queuename":"root.users","status":"Active",)"
              R"("partition":"","pendingResource":{"pods":1,"vcore":60000},)"
              R"("allocatedResource":{"memory":250000000,"pods":1,"vcore":250},"headroom":{"memory":19750000000,)"
              R"("nvidia.com/gpu":2,"pods":325,"vcore":24250},"isLeaf":false,"isManaged":true,"parent":"root",)"
              R"("template":{"maxApplications":3,"maxResource":{"memory":2000000000,"vcore":2000},)"
              R"("guaranteedResource":{"memory":500000000},"properties":{"application.sort.policy":"fifo"}},)"
              R"("children":[{"queuename":"root.users.dave_dot_smith","status":"Active","partition":"",)"
              R"("maxResource":{"memory":2000000000,"vcore":2000},"guaranteedResource":{"memory":500000000},)"
              R"("allocatedResource":{"memory":250000000,"pods":1,"vcore":250},"headroom":{"memory":1750000000,)"
              R"("nvidia.com/gpu":2,"pods":325,"vcore":1750},"isLeaf":true,"isManaged":false,)"
              R"("properties":{"application.sort.policy":"fifo"},"parent":"root.users",)"
              R"("absUsedCapacity":{"memory":12,"vcore":12},"maxRunningApps":3,"runningApps":1,)"
              R"("currentPriority":-2147483648,"sortingPolicy":"fifo","prioritySorting":true,)"
              R"("preemptionEnabled":true,"isPreemptionFence":false,"preemptionDelay":"30s",)"
              R"("quotaPreemptionDelay":"0s","isPriorityFence":false},{"queuename":"root.users.gina",)"
              R"("status":"Active","partition":"","pendingResource":{"pods":1,"vcore":60000},)"
              R"("maxResource":{"memory":2000000000,"vcore":2000},"guaranteedResource":{"memory":500000000},)"
              R"("headroom":{"memory":2000000000,"nvidia.com/gpu":2,"pods":325,"vcore":2000},"isLeaf":true,)"
              R"("isManaged":false,"properties":{"application.sort.policy":"fifo"},"parent":"root.users",)"
              R"("maxRunningApps":3,"currentPriority":0,"sortingPolicy":"fifo","prioritySorting":true,)"
              R"("preemptionEnabled":true,"isPreemptionFence":false,"preemptionDelay":"30s",)"
              R"("quotaPreemptionDelay":"0s","isPriorityFence":false}],"childNames":["root.users.dave_dot_smith",)"
              R"("root.users.gina"],"runningApps":1,"currentPriority":0,"sortingPolicy":"fair",)"
              R"("prioritySorting":true,"preemptionEnabled":true,"isPreemptionFence":false,)"
              R"("preemptionDelay":"30s","quotaPreemptionDelay":"0s","isPriorityFence":false}],)"
              R"("childNames":["root.batch","root.prod","root.users"],"absUsedCapacity":{"memory":29,"pods":1,)"
              R"("vcore":13},"runningApps":3,"currentPriority":7,"sortingPolicy":"fair","prioritySorting":true,)"
              R"("preemptionEnabled":true,"isPreemptionFence":false,"preemptionDelay":"30s",)"
              R"("quotaPreemptionDelay":"0s","isPriorityFence":false})");
    EXPECT_EQ(text(queue(version_, "root.prod", false, {})),
              R"({"queuename":"root.prod","status":"Active","partition":"",)"
              R"("pendingResource":{"memory":3000000000,"pods":1,"vcore":1000},)"
              R"("maxResource":{"memory":20000000000,"vcore":20000},"guaranteedResource":{"memory":4000000000,)"
              R"("vcore":4000},"allocatedResource":{"memory":4000000000,"pods":2,"vcore":2000},)"
              R"("headroom":{"memory":16000000000,"nvidia.com/gpu":2,"pods":325,"vcore":18000},"isLeaf":false,)"
              R"("isManaged":true,"properties":{"priority.offset":"10"},"parent":"root",)"
              R"("childNames":["root.prod.api","root.prod.web"],"absUsedCapacity":{"memory":20,"vcore":10},)"
              R"("runningApps":1,"currentPriority":7,"sortingPolicy":"fair","prioritySorting":true,)"
              R"("preemptionEnabled":true,"isPreemptionFence":false,"preemptionDelay":"30s",)"
              R"("quotaPreemptionDelay":"0s","isPriorityFence":false,"priorityOffset":10})");
    EXPECT_EQ(text(queue(version_, "root.none", true, {})), "none");
}

TEST_F(AnswersTest, users_and_groups_have_their_usage_and_limits) {
    EXPECT_EQ(text(users(version_)),
              R"([{"userName":"alice","groups":{"app-web":"alice"},"queues":{"queuePath":"root",)"
              R"("resourceUsage":{"memory":4000000000,"pods":2,"vcore":2000},"runningApplications":["app-web"],)"
              R"("maxApplications":50,"children":[{"queuePath":"root.prod","resourceUsage":{"memory":4000000000,)"
              R"("pods":2,"vcore":2000},"runningApplications":["app-web"],)"
              R"("children":[{"queuePath":"root.prod.web","resourceUsage":{"memory":4000000000,"pods":2,)"
              R"("vcore":2000},"runningApplications":["app-web"],"maxResources":{"memory":6000000000,)"
              R"("vcore":6000},"maxApplications":2}]}]}},{"userName":"bob","queues":{"queuePath":"root",)"
              R"("resourceUsage":{"memory":4000000000,"pods":2,"vcore":1500},"runningApplications":["app-batch"],)"
              R"("maxApplications":50,"children":[{"queuePath":"root.batch","resourceUsage":{"memory":4000000000,)"
              R"("pods":2,"vcore":1500},"runningApplications":["app-batch"]}]}},{"userName":"dave.smith",)"
              R"("queues":{"queuePath":"root","resourceUsage":{"memory":250000000,"pods":1,"vcore":250},)"
              R"("runningApplications":["app-dyn"],"maxApplications":50,"children":[{"queuePath":"root.users",)"
              R"("resourceUsage":{"memory":250000000,"pods":1,"vcore":250},"runningApplications":["app-dyn"],)"
              R"("children":[{"queuePath":"root.users.dave_dot_smith","resourceUsage":{"memory":250000000,)"
              R"("pods":1,"vcore":250},"runningApplications":["app-dyn"]}]}]}},{"userName":"gina",)"
              R"("queues":{"queuePath":"root","maxApplications":50,"children":[{"queuePath":"root.users",)"
              R"("children":[{"queuePath":"root.users.gina"}]}]}}])");
    EXPECT_EQ(text(groups(version_)),
              R"([{"groupName":"alice","applications":["app-web"],"queues":{"queuePath":"root",)"
              R"("resourceUsage":{"memory":4000000000,"pods":2,"vcore":2000},"runningApplications":["app-web"],)"
              R"("children":[{"queuePath":"root.prod","resourceUsage":{"memory":4000000000,"pods":2,)"
              R"("vcore":2000},"runningApplications":["app-web"],"children":[{"queuePath":"root.prod.web",)"
              R"("resourceUsage":{"memory":4000000000,"pods":2,"vcore":2000},"runningApplications":["app-web"],)"
              R"("maxResources":{"memory":8000000000},"maxApplications":4}]}]}}])");
    EXPECT_EQ("[" + text(group(version_, "alice")) + "]", text(groups(version_)));
    EXPECT_EQ(text(user(version_, "gina")),
              R"({"userName":"gina","queues":{"queuePath":"root","maxApplications":50,)"
              R"("children":[{"queuePath":"root.users","children":[{"queuePath":"root.users.gina"}]}]}})");
    EXPECT_EQ(text(user(version_, "frank")), "none");  // no pods yet
    EXPECT_EQ(text(group(version_, "bob")), "none");   // no limit names it
}

TEST_F(AnswersTest, nodes_are_in_buckets_by_how_full_they_are) {
    EXPECT_EQ(node_utilizations({{version_, kPlace}}),
              R"([{"clusterId":"rm:123","partition":"default","utilizations":[{"type":"memory",)"
              R"("utilization":[{"bucketName":"0-10%","numOfNodes":1,"nodeNames":["n3"]},{"bucketName":"10-20%"},)"
              R"({"bucketName":"20-30%"},{"bucketName":"30-40%","numOfNodes":2,"nodeNames":["n1","n2"]},)"
              R"({"bucketName":"40-50%"},{"bucketName":"50-60%"},{"bucketName":"60-70%"},{"bucketName":"70-80%"},)"
              R"({"bucketName":"80-90%"},{"bucketName":"90-100%"}]},{"type":"nvidia.com/gpu",)"
              R"("utilization":[{"bucketName":"0-10%","numOfNodes":1,"nodeNames":["n2"]},{"bucketName":"10-20%"},)"
              R"({"bucketName":"20-30%"},{"bucketName":"30-40%"},{"bucketName":"40-50%"},{"bucketName":"50-60%"},)"
              R"({"bucketName":"60-70%"},{"bucketName":"70-80%"},{"bucketName":"80-90%"},)"
              R"({"bucketName":"90-100%"}]},{"type":"pods","utilization":[{"bucketName":"0-10%","numOfNodes":3,)"
              R"("nodeNames":["n1","n2","n3"]},{"bucketName":"10-20%"},{"bucketName":"20-30%"},)"
              R"({"bucketName":"30-40%"},{"bucketName":"40-50%"},{"bucketName":"50-60%"},{"bucketName":"60-70%"},)"
              R"({"bucketName":"70-80%"},{"bucketName":"80-90%"},{"bucketName":"90-100%"}]},{"type":"vcore",)"
              R"("utilization":[{"bucketName":"0-10%","numOfNodes":1,"nodeNames":["n3"]},{"bucketName":"10-20%",)"
              R"("numOfNodes":1,"nodeNames":["n1"]},{"bucketName":"20-30%","numOfNodes":1,"nodeNames":["n2"]},)"
              R"({"bucketName":"30-40%"},{"bucketName":"40-50%"},{"bucketName":"50-60%"},{"bucketName":"60-70%"},)"
              R"({"bucketName":"70-80%"},{"bucketName":"80-90%"},{"bucketName":"90-100%"}]}]}])");
    EXPECT_EQ(node_utilizations({}), "null");
}

TEST_F(AnswersTest, a_partition_says_how_much_it_has_and_how_it_is_set) {
    EXPECT_EQ(partitions({{version_, kPlace}}),
              R"([{"clusterId":"rm:123","name":"default","capacity":{"capacity":{"memory":28000000000,)"
              R"("nvidia.com/gpu":2,"pods":330,"vcore":28000},"usedCapacity":{"memory":8250000000,"pods":5,)"
              R"("vcore":3750},"utilization":{"memory":29,"pods":1,"vcore":13}},)"
              R"("nodeSortingPolicy":{"type":"binpacking","resourceWeights":{"memory":2,"vcore":1.5}},)"
              R"("preemptionEnabled":true,"quotaPreemptionEnabled":false,"totalNodes":3,)"
              R"("applications":{"Accepted":1,"New":1,"Running":3,"total":5},"totalContainers":5,)"
              R"("state":"Active","lastStateTransitionTime":5}])");
    EXPECT_EQ(clusters({{version_, kPlace}}),
              R"([{"startTime":5,"rmBuildInformation":[{"rmId":"cluster-a"}],"partition":"default",)"
              R"("clusterName":"kubernetes"}])");
}

}  // namespace
}  // namespace bayplan::answers
