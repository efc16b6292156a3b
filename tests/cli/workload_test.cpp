// Named loads have the shape their names promise.
#include "workload/named_workloads.h"

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
        EXPECT_EQ(load.pods.size(), named.pods) << named.name;
        EXPECT_EQ(load.pod_shapes.size(), std::max(named.classes, 1u)) << named.name;
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
    EXPECT_THAT(load.pod_shapes[0],
                ElementsAre(Pair("cpu", 100), Pair("memory", 524'288'000), Pair("pods", 1)));
}

TEST(NamedWorkloads, an_unknown_name_is_nothing) {
    EXPECT_EQ(find_workload("SchedulingBasic"), nullptr);
}

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

TEST(NamedWorkloads, overfull_really_is) {
    const Workload load = make_workload(*find_workload("Overfull/100Nodes_6000Pods"));
    const std::int64_t room = 100 * load.node_shapes[0].capacity[0].second;
    EXPECT_LT(room, 6'000 * load.pod_shapes[0][0].second);
}

}  // namespace
}  // namespace bayplan::workload
