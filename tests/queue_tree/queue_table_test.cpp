// Queues by reload and by application: what is inherited, what drains, what is cleaned.
#include <gmock/gmock.h>

#include "partition.h"
#include "queue_tree/queue_table.h"

namespace bayplan::queue_tree {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

QueueTable table(const std::string& lines) {
    QueueTable queues;
    std::string why;
    EXPECT_TRUE(queues.apply(root_with(lines), why)) << why;
    return queues;
}

TEST(QueueTable, properties_pass_down_but_for_what_is_of_one_queue) {
    const QueueTable queues = table(
        "    - name: p\n      properties: {priority.policy: fence, priority.offset: '4', preemption.policy: fence, "
        "own: x}\n"
        "      queues:\n      - {name: c, properties: {own: y}}\n"
        "    - name: d\n      properties: {preemption.policy: disabled}\n      queues:\n      - {name: c}\n");
    EXPECT_THAT(queues[queues.find("root.p.c")].properties,
                ElementsAre(Pair("own", "y"), Pair("preemption.policy", "default"), Pair("priority.offset", "0"),
                            Pair("priority.policy", "default")));
    EXPECT_TRUE(queues[queues.find("root.p")].settings.priority_fence);
    EXPECT_EQ(queues[queues.find("root.p")].settings.priority_offset, 4);
    EXPECT_EQ(queues[queues.find("root.p.c")].settings.priority_offset, 0);
    EXPECT_EQ(queues[queues.find("root.d.c")].settings.preemption_policy, PreemptionPolicy::disabled);
}

TEST(QueueTable, values_without_meaning_are_the_defaults) {
    const QueueSettings settings = settings_of({{"application.sort.policy", "lottery"},
                                                {"application.unschedasks.backoff", "-3"},
                                                {"preemption.delay", "10"},
                                                {"priority.offset", "2147483648"},
                                                {"quota.preemption.delay", "-1h"}});
    EXPECT_EQ(settings.sort_policy, SortPolicy::fifo);
    EXPECT_EQ(settings.unschedulable_backoff, 0U);
    EXPECT_EQ(settings.preemption_delay, milliseconds(30'000));
    EXPECT_EQ(settings.priority_offset, 0);
    EXPECT_EQ(settings.quota_preemption_delay, milliseconds(0));
    EXPECT_EQ(settings_of({{"preemption.delay", "1h30m1.5s"}}).preemption_delay, milliseconds(5'401'500));
}

TEST(QueueTable, reservations_of_a_queue_have_the_values_that_it_states) {
    EXPECT_EQ(settings_of({}).daemonset, DaemonsetProperties());
    const DaemonsetProperties all = settings_of({{"preemption_start_delay", "0s"},
                                                 {"preemption.delay", "5s"},
                                                 {"reservation_expiry", "1m30s"},
                                                 {"preemption_victim_pods_selection_strategy", "Multiple,Single"},
                                                 {"preemption_single_victim_deviation", "7.5"},
                                                 {"preemption_multiple_victims_max", "3"}})
                                        .daemonset;
    EXPECT_EQ(all.delay_ns, 0);
    EXPECT_EQ(all.expiry_ns, 90'000'000'000);
    EXPECT_EQ(all.strategies, VictimStrategies::multiple_single);
    EXPECT_EQ(all.single_deviation, 7'500'000);
    EXPECT_EQ(all.multiple_max, 3u);
    EXPECT_EQ(settings_of({{"preemption.delay", "5s"}}).daemonset.delay_ns, 5'000'000'000);
    EXPECT_EQ(settings_of({{"preemption_victim_poselection_strategy", "single"}}).daemonset.strategies,
              VictimStrategies::single);
    EXPECT_EQ(settings_of({{"preemption_start_delay", "soon"},
                           {"preemption.delay", "5s"},
                           {"reservation_expiry", "-1s"},
                           {"preemption_victim_pods_selection_strategy", "both"},
                           {"preemption_single_victim_deviation", "-1"},
                           {"preemption_multiple_victims_max", "0"}})
                  .daemonset,
              DaemonsetProperties());
}

TEST(QueueTable, a_property_that_leaves_the_file_is_gone) {
    QueueTable queues = table("    - {name: a, properties: {priority.offset: '10'}}\n");
    std::string why;
    ASSERT_TRUE(queues.apply(root_with("    - {name: a}\n"), why));
    EXPECT_EQ(queues[queues.find("root.a")].settings.priority_offset, 0);
}

TEST(QueueTable, what_leaves_the_file_drains_and_comes_back) {
    QueueTable queues = table("    - name: p\n      queues: [{name: a}, {name: b}]\n    - {name: q}\n");
    const QueueId a = queues.find("root.p.a");
    queues.application_added(a);
    std::string why;
    ASSERT_TRUE(queues.apply(root_with("    - {name: q}\n"), why));
    EXPECT_EQ(queues[a].status, QueueStatus::draining);
    EXPECT_EQ(queues[queues.find("root.p")].status, QueueStatus::draining);
    queues.clean();
    EXPECT_EQ(queues.find("root.p.b"), kNoQueue);
    EXPECT_EQ(queues.find("root.p.a"), a);
    ASSERT_TRUE(queues.apply(root_with("    - {name: p, queues: [{name: a}]}\n    - {name: q}\n"), why));
    EXPECT_EQ(queues.find("root.p.a"), a);
    EXPECT_EQ(queues[a].status, QueueStatus::active);
    EXPECT_EQ(queues[a].applications, 1U);
    ASSERT_TRUE(queues.apply(root_with("    - {name: q}\n"), why));
    queues.application_removed(a);
    queues.clean();
    EXPECT_EQ(queues.find("root.p"), kNoQueue);
    EXPECT_EQ(queues.size(), 2U);
}

TEST(QueueTable, a_leaf_with_applications_stays_a_leaf_and_nothing_else_changes) {
    QueueTable queues = table("    - {name: a}\n    - {name: b, maxapplications: 3}\n");
    queues.application_added(queues.find("root.a"));
    std::string why;
    EXPECT_FALSE(
        queues.apply(root_with("    - {name: b, maxapplications: 9}\n    - {name: a, queues: [{name: x}]}\n"), why));
    EXPECT_THAT(why, HasSubstr("root.a has applications"));
    EXPECT_EQ(queues[queues.find("root.b")].max_applications, 3U);
    EXPECT_EQ(queues.find("root.a.x"), kNoQueue);
}

TEST(QueueTable, dynamic_queues_take_the_nearest_template) {
    QueueTable queues = table(
        "    - name: p\n      parent: true\n"
        "      childtemplate: {maxapplications: 4, properties: {application.sort.policy: fair}}\n");
    std::string why;
    const QueueId leaf = queues.create_dynamic("root.p.team.jobs", why);
    EXPECT_TRUE(queues[leaf].leaf);
    EXPECT_EQ(queues[leaf].max_applications, 4U);
    EXPECT_EQ(queues[leaf].settings.sort_policy, SortPolicy::fair);
    const Queue& between = queues[queues.find("root.p.team")];
    EXPECT_FALSE(between.leaf);
    EXPECT_EQ(between.max_applications, 0U);
    EXPECT_EQ(queues.create_dynamic("root.p.team.jobs.x", why), kNoQueue);
    EXPECT_THAT(why, HasSubstr("root.p.team.jobs, which is a leaf"));
    queues.application_added(leaf);
    queues.clean();
    EXPECT_EQ(queues.find("root.p.team.jobs"), leaf);
    queues.application_removed(leaf);
    queues.clean();
    EXPECT_EQ(queues.find("root.p.team"), kNoQueue);
    EXPECT_NE(queues.find("root.p"), kNoQueue);  // of the file
}

TEST(QueueTable, a_dynamic_queue_that_the_file_names_is_managed) {
    QueueTable queues = table("    - {name: p, parent: true}\n");
    std::string why;
    const QueueId leaf = queues.create_dynamic("root.p.x", why);
    ASSERT_TRUE(queues.apply(root_with("    - name: p\n      queues: [{name: x, maxapplications: 2}]\n"), why));
    EXPECT_EQ(queues.find("root.p.x"), leaf);
    EXPECT_TRUE(queues[leaf].managed);
    EXPECT_EQ(queues[leaf].max_applications, 2U);
}

}  // namespace
}  // namespace bayplan::queue_tree
