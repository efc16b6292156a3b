// Where applications go: rules, filters, access, recovery, quotas of namespaces.
#include <gmock/gmock.h>

#include "partition.h"
#include "queue_tree/placement.h"

namespace bayplan::queue_tree {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class World {
public:
    explicit World(const queue_config::PartitionConfig& config) : rules_(config.placement_rules) {
        std::string why;
        EXPECT_TRUE(queues.apply(config, why)) << why;
    }

    // The path, or the number of the refusal.
    std::string place(Submission submission) {
        if (!submission.user) submission.user = User{"ann", {"dev"}};
        const Placed placed = rules_.place(submission, queues);
        if (placed.refusal != Refusal::none) return "refused " + std::to_string(static_cast<int>(placed.refusal));
        queues.application_added(placed.queue);
        return queues[placed.queue].path;
    }
    std::string place_queue(const std::string& queue) { return place({.id = "a", .queue = queue}); }

    QueueTable queues;

private:
    PlacementRules rules_;
};

std::string refused(Refusal refusal) { return "refused " + std::to_string(static_cast<int>(refusal)); }

constexpr const char* kQueues = "    - {name: wharf}\n    - {name: yard, parent: true}\n";

TEST(Placement, without_rules_the_named_queue_must_be_there) {
    World world(root_with(kQueues));
    EXPECT_EQ(world.place_queue("root.wharf"), "root.wharf");
    EXPECT_EQ(world.place_queue("Wharf"), "root.wharf");
    EXPECT_EQ(world.place_queue("root.yard"), refused(Refusal::no_rule));
    EXPECT_EQ(world.place_queue("root.none"), refused(Refusal::no_rule));
    EXPECT_EQ(world.place_queue("root.bad name"), refused(Refusal::bad_queue_name));
}

TEST(Placement, chains_of_rules_make_queues) {
    World world(
        root_with(kQueues,
                  "  placementrules:\n  - {name: tag, value: crew, create: true, parent: {name: user, create: true, "
                  "parent: {name: fixed, value: yard}}}\n"));
    EXPECT_EQ(world.place({.id = "a", .tags = {{"Crew", "night.shift"}}}), "root.yard.ann.night_dot_shift");
    EXPECT_EQ(world.place({.id = "b", .tags = {{"crew", "root.wharf"}}}), "root.wharf");
    EXPECT_EQ(world.place({.id = "c"}), refused(Refusal::no_rule));
}

TEST(Placement, a_leaf_is_no_parent) {
    World world(root_with(kQueues,
                          "  placementrules:\n  - {name: provided, create: true, "
                          "parent: {name: tag, value: t, create: true}}\n"));
    EXPECT_EQ(world.place({.id = "a", .queue = "x", .tags = {{"t", "wharf"}}}), refused(Refusal::parent_is_leaf));
    EXPECT_EQ(world.place({.id = "b", .queue = "root.wharf.x"}), refused(Refusal::above_is_leaf));
    EXPECT_EQ(world.queues.find("root.wharf.x"), kNoQueue);
}

TEST(Placement, a_draining_parent_passes_on_to_the_next_rule) {
    World world(
        root_with(kQueues, "  placementrules: [{name: provided, create: true}, {name: fixed, value: wharf}]\n"));
    std::string why;
    ASSERT_TRUE(world.queues.apply(root_with("    - {name: wharf}\n"), why));
    EXPECT_EQ(world.place_queue("root.yard.new"), "root.wharf");
}

TEST(Placement, filters) {
    World world(root_with("    - {name: a}\n    - {name: b}\n    - {name: c}\n",
                          "  placementrules:\n"
                          "  - {name: fixed, value: a, filter: {type: DENY, users: [bob, eve]}}\n"
                          "  - {name: fixed, value: b, filter: {groups: ['^op']}}\n"
                          "  - {name: fixed, value: c}\n"));
    EXPECT_EQ(world.place({.id = "1", .user = User{"ann", {}}}), "root.a");
    EXPECT_EQ(world.place({.id = "2", .user = User{"bob", {"dev", "ops"}}}), "root.b");
    EXPECT_EQ(world.place({.id = "3", .user = User{"eve", {"dev"}}}), "root.c");
}

TEST(Placement, a_list_of_unusable_names_admits_nobody) {
    World world(
        root_with(kQueues, "  placementrules:\n  - {name: fixed, value: wharf, filter: {users: ['1', '2']}}\n"));
    EXPECT_EQ(world.place({.id = "1"}), refused(Refusal::no_rule));
}

TEST(Placement, access_is_that_of_the_lowest_queue_there_is) {
    World world(
        partition("partitions:\n- queues:\n  - name: root\n    queues:\n"
                  "    - {name: yard, parent: true, submitacl: ann}\n"
                  "    - {name: default, adminacl: ' ops'}\n  placementrules: [{name: provided, create: true}]\n"));
    EXPECT_EQ(world.place_queue("root.yard.x.y"), "root.yard.x.y");
    EXPECT_EQ(world.place({.id = "2", .queue = "root.yard.x.z", .user = User{"bob", {}}}), refused(Refusal::no_rule));
    EXPECT_EQ(world.place({.id = "3", .queue = "root.yard.x.z", .user = User{"bob", {"ops"}}}), "root.default");
}

TEST(Placement, users) {
    World world(root_with(kQueues));
    EXPECT_EQ(world.place({.id = "1", .queue = "wharf", .user = User{"", {}}}), refused(Refusal::no_user));
    EXPECT_EQ(world.place({.id = "2", .queue = "wharf", .user = User{"a b", {}}}), refused(Refusal::bad_user_name));
    EXPECT_EQ(world.place({.id = "3", .queue = "wharf", .user = User{"", {}}, .forced = true}), "root.wharf");
}

TEST(Placement, forced_applications_end_in_the_recovery_queue_and_nobody_else) {
    World world(root_with(kQueues, "  placementrules: [{name: provided, create: true}]\n"));
    EXPECT_EQ(world.place_queue("root.@recovery@"), refused(Refusal::no_rule));
    EXPECT_EQ(world.place_queue("root.@recovery@.x"), refused(Refusal::no_rule));
    EXPECT_EQ(world.place({.id = "1", .queue = "root.yard", .forced = true}), "root.@recovery@");
    EXPECT_EQ(world.place({.id = "2", .queue = "root.yard", .tags = {{"application.create.force", "t"}}}),
              "root.@recovery@");
    EXPECT_EQ(world.place_queue("root.@recovery@"), refused(Refusal::no_rule));
}

TEST(Placement, gangs_need_a_fifo_leaf_that_could_hold_them) {
    World world(
        root_with("    - {name: a, properties: {application.sort.policy: fair}}\n"
                  "    - {name: b, resources: {max: {memory: 9}}}\n"));
    EXPECT_EQ(world.place({.id = "1", .queue = "a", .placeholder_ask = {{"memory", 1}}}),
              refused(Refusal::sort_policy));
    EXPECT_EQ(world.place({.id = "2", .queue = "b", .placeholder_ask = {{"memory", 10}}}),
              refused(Refusal::gang_too_large));
    EXPECT_EQ(world.place({.id = "3", .queue = "b", .placeholder_ask = {{"memory", 9}, {"gpu", 9}}}), "root.b");
}

TEST(Placement, quotas_of_a_namespace_are_for_dynamic_queues) {
    World world(root_with(kQueues, "  placementrules: [{name: provided, create: true}]\n"));
    const Tags tags = {{"namespace.resourcequota", R"({"resources": {"memory": {"value": 7}}})"},
                       {"namespace.resourcemaxapps", "3"}};
    EXPECT_EQ(world.place({.id = "1", .queue = "root.yard.x", .tags = tags}), "root.yard.x");
    const Queue& dynamic = world.queues[world.queues.find("root.yard.x")];
    EXPECT_THAT(dynamic.max, ElementsAre(Pair("memory", 7)));
    EXPECT_EQ(dynamic.max_applications, 3U);
    EXPECT_EQ(world.place({.id = "2", .queue = "root.yard.x", .tags = {{"namespace.resourcequota", "[1"}}}),
              "root.yard.x");
    EXPECT_THAT(world.queues[world.queues.find("root.yard.x")].max, ElementsAre(Pair("memory", 7)));
    EXPECT_EQ(world.place({.id = "3", .queue = "wharf", .tags = tags}), "root.wharf");
    EXPECT_TRUE(world.queues[world.queues.find("root.wharf")].max.empty());
}

}  // namespace
}  // namespace bayplan::queue_tree
