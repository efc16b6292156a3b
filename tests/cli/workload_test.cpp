// Named loads have the shape their names promise.
#include "workload/named_workloads.h"
#include "workload/preemption_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace bayplan::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(NamedWorkloads, are_as_large_as_they_say) {
    for (const NamedWorkload& named : named_workloads()) {
        const Workload load = make_workload(named);
        EXPECT_EQ(load.name, named.name);
        EXPECT_EQ(load.nodes.size(), named.nodes) << named.name;
        const bool waiting = named.extras.pattern == PodPattern::unschedulable;
        EXPECT_EQ(load.pods.size(), named.pods + (waiting ? 100 : 0)) << named.name;
        EXPECT_EQ(load.pod_shapes.size(), std::max(named.classes, 1u) + (waiting ? 1 : 0)) << named.name;
        std::set<std::string> names;
        for (const Pod& pod : load.pods) {
            names.insert(pod.name);
        }
        EXPECT_EQ(names.size(), load.pods.size()) << named.name;
    }
}

TEST(NamedWorkloads, scheduling_basic_has_the_nodes_and_pods_of_scheduler_perf) {
    const NamedWorkload* const named = find_workload("SchedulingBasic/5000Nodes_50000Pods");
    ASSERT_NE(named, nullptr);
    const Workload load = make_workload(*named);
    EXPECT_THAT(load.node_shapes[0].capacity,
                ElementsAre(Pair("cpu", 4'000), Pair("memory", 34'359'738'368), Pair("pods", 110)));
    EXPECT_THAT(load.pod_shapes[0], ElementsAre(Pair("cpu", 100), Pair("memory", 524'288'000), Pair("pods", 1)));
}

TEST(NamedWorkloads, an_unknown_name_is_nothing) { EXPECT_EQ(find_workload("SchedulingBasic"), nullptr); }

TEST(NamedWorkloads, every_class_is_a_size_of_its_own_and_asks_for_something) {
    const Workload load = make_workload({"many", "", 1, 1, kClassesMax});
    std::set<Amounts> shapes(load.pod_shapes.begin(), load.pod_shapes.end());
    EXPECT_EQ(shapes.size(), kClassesMax);
    for (const Amounts& shape : load.pod_shapes) {
        for (const auto& [kind, value] : shape) {
            ASSERT_GT(value, 0) << kind;
        }
    }
}

TEST(NamedWorkloads, filled_nodes_are_as_full_as_they_say_and_not_fuller_than_they_are_large) {
    for (const char* name : {"Filled/5000Nodes_10000Pods_50", "Filled/5000Nodes_5000Pods_95"}) {
        const Workload load = make_workload(*find_workload(name));
        const std::int64_t percent = find_workload(name)->extras.filled;
        std::vector<std::int64_t> cpu(load.nodes.size());
        std::vector<std::int64_t> memory(load.nodes.size());
        for (const RunningPod& pod : load.running) {
            cpu[pod.node] += load.pod_shapes[pod.shape][0].second;
            memory[pod.node] += load.pod_shapes[pod.shape][1].second;
        }
        const std::int64_t capacity = load.node_shapes[0].capacity[0].second;
        for (std::size_t node = 0; node < cpu.size(); ++node) {
            ASSERT_GE(cpu[node] * 100, capacity * (percent - 8)) << name;
            ASSERT_LE(cpu[node] * 100, capacity * (percent + 4)) << name;
            ASSERT_LE(memory[node], load.node_shapes[0].capacity[1].second) << name;
        }
    }
}

TEST(NamedWorkloads, those_of_yunikorn_have_room_for_one_pod_more_on_each_node) {
    const Workload load = make_workload(*find_workload("BenchmarkScheduling/5000Nodes_10000Pods"));
    EXPECT_THAT(load.node_shapes[0].capacity, ElementsAre(Pair("cpu", 3'000), Pair("memory", 30), Pair("pods", 110)));
    EXPECT_THAT(load.pod_shapes[0], ElementsAre(Pair("cpu", 1'000), Pair("memory", 10)));
}

TEST(NamedWorkloads, those_of_yunikorn_have_two_queues_and_pods_for_either_in_turn) {
    const Workload load = make_workload(*find_workload("BenchmarkScheduling/500Nodes_10000Pods"));
    ASSERT_EQ(load.applications.size(), 2u);
    EXPECT_EQ(load.applications[0].queue, "root.a");
    EXPECT_EQ(load.applications[1].queue, "root.b");
    for (std::size_t i = 0; i < load.pods.size(); ++i) EXPECT_EQ(load.pods[i].application, i % 2);
    EXPECT_EQ(make_workload(*find_workload("Unique/500Nodes_3000Pods")).applications.size(), 1u);
}

TEST(NamedWorkloads, only_nodes_and_pods_can_be_sent_by_a_shim) {
    EXPECT_TRUE(find_workload("Priorities/500Nodes_2000Pods_50")->sendable());
    EXPECT_FALSE(find_workload("Filled/500Nodes_500Pods_95")->sendable());
    EXPECT_FALSE(find_workload("Churn/500Nodes_4096Pods_50")->sendable());
    EXPECT_FALSE(find_workload("SchedulingDaemonset/15000Nodes_30000Pods")->sendable());
}

TEST(PreemptionWorkloads, preemptors_fit_nowhere_and_each_node_has_room_for_one_once_three_are_gone) {
    EXPECT_THAT(sendable_preemptions(),
                ElementsAre("PreemptionBasic/500Nodes_12Pods", "PreemptionBasic/5000Nodes_5000Pods"));
    const Workload load = make_workload(*find_preemption("PreemptionBasic/500Nodes_12Pods"));
    EXPECT_TRUE(load.victims_end);
    const std::int64_t room = load.node_shapes[0].capacity[0].second;
    std::vector<std::int64_t> used(load.nodes.size());
    std::size_t preemptors = 0;
    for (const Pod& pod : load.pods) {
        const std::int64_t cpu = load.pod_shapes[pod.shape][0].second;
        if (pod.runs_on < 0) {
            ++preemptors;
            EXPECT_GT(pod.priority, 0);
            EXPECT_EQ(cpu, 3'000);
            continue;
        }
        EXPECT_EQ(pod.priority, 0);
        EXPECT_EQ(cpu, 900);
        used[static_cast<std::size_t>(pod.runs_on)] += cpu;
    }
    EXPECT_EQ(preemptors, 12u);
    for (const std::int64_t amount : used) {
        EXPECT_EQ(amount, 3'600);
        EXPECT_LT(room - amount, 3'000);
        EXPECT_GE(room - (amount - 3 * 900), 3'000);
        EXPECT_LT(room - (amount - 2 * 900), 3'000);
    }
    EXPECT_FALSE(find_preemption("PreemptionUnique/5000Nodes_3000Pods"));
}

TEST(NamedWorkloads, overfull_really_is) {
    const Workload load = make_workload(*find_workload("Overfull/100Nodes_6000Pods"));
    const std::int64_t room = 100 * load.node_shapes[0].capacity[0].second;
    EXPECT_LT(room, 6'000 * load.pod_shapes[0][0].second);
}

}  // namespace
}  // namespace bayplan::workload
