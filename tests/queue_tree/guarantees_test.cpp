// Amounts that queues hold of their guarantees, and pods that they can spare.
#include <gtest/gtest.h>

#include <string>

#include "partition.h"
#include "queue_tree/queue_tree.h"
#include "queue_tree/spare_pods.h"

namespace bayplan::queue_tree {
namespace {

class GuaranteesTest : public ::testing::Test {
protected:
    void give(const std::string& queues) {
        std::string why;
        ASSERT_TRUE(tree.reload(root_with(queues), why)) << why;
        tree.guarantees().settle();
    }
    QueueId queue(const std::string& path) { return tree.queues().find(path); }
    RequestId vcore(std::int64_t amount) {
        const Amount one{tree.resource("vcore"), amount};
        return tree.request(Request(&one, 1));
    }
    bool covers(const std::string& leaf, std::int64_t amount) {
        const Amount one{tree.resource("vcore"), amount};
        return tree.guarantees().covers(queue(leaf), Request(&one, 1), {});
    }

    QueueTree tree;
};

TEST_F(GuaranteesTest, a_queue_holds_what_asks_below_it_hold) {
    give(
        "    - name: p\n      resources: {guaranteed: {vcore: 10m}}\n      queues:\n      - {name: x}\n"
        "      - {name: y, resources: {guaranteed: {vcore: 4m}}}\n    - {name: q}\n");
    Guarantees& guarantees = tree.guarantees();
    EXPECT_TRUE(guarantees.any());
    EXPECT_TRUE(guarantees.hold(AskId{1}, queue("root.p.x"), vcore(7)));
    EXPECT_FALSE(guarantees.hold(AskId{1}, queue("root.p.x"), vcore(7)));  // it did
    EXPECT_TRUE(covers("root.p.x", 3));
    EXPECT_FALSE(covers("root.p.x", 4));
    EXPECT_TRUE(covers("root.p.y", 4));  // its own guarantee counts, not that of p
    EXPECT_FALSE(covers("root.p.y", 5));
    EXPECT_TRUE(guarantees.hold(AskId{1}, queue("root.p.x"), vcore(10)));
    EXPECT_FALSE(covers("root.p.x", 1));
    EXPECT_TRUE(guarantees.let_go(AskId{1}));
    EXPECT_FALSE(guarantees.let_go(AskId{1}));
    EXPECT_TRUE(covers("root.p.x", 10));
    EXPECT_EQ(tree.requests(), 0u);  // no use of a request is left
}

TEST_F(GuaranteesTest, the_guarantor_is_the_lowest_queue_that_names_anything) {
    give(
        "    - name: p\n      resources: {guaranteed: {vcore: 10m}}\n      queues:\n"
        "      - {name: x, resources: {guaranteed: {memory: 4}}}\n    - {name: q}\n");
    const Amount cpu{tree.resource("vcore"), 1};
    const Amount both[] = {{tree.resource("vcore"), 1}, {tree.resource("memory"), 1}};
    tree.guarantees().settle();
    EXPECT_EQ(tree.guarantees().guarantor(queue("root.p.x"), Request(&cpu, 1)), queue("root.p"));
    EXPECT_EQ(tree.guarantees().guarantor(queue("root.p.x"), Request(both)), queue("root.p.x"));
    EXPECT_EQ(tree.guarantees().guarantor(queue("root.q"), Request(&cpu, 1)), kNoQueue);
}

TEST_F(GuaranteesTest, a_reload_changes_what_is_guaranteed_and_not_what_is_held) {
    give("    - {name: p, resources: {guaranteed: {vcore: 3m}}}\n");
    tree.guarantees().hold(AskId{0}, queue("root.p"), vcore(3));
    EXPECT_FALSE(covers("root.p", 1));
    give("    - {name: p, resources: {guaranteed: {vcore: 5m}}}\n");
    EXPECT_TRUE(covers("root.p", 2));
    EXPECT_FALSE(covers("root.p", 3));
}

TEST_F(GuaranteesTest, pods_are_spared_down_to_the_guarantee_of_every_queue_below_the_fork) {
    give(
        "    - name: p\n      resources: {guaranteed: {vcore: 5m}}\n      queues:\n"
        "      - {name: x, resources: {guaranteed: {vcore: 2m}}}\n      - {name: y}\n"
        "    - {name: a, resources: {guaranteed: {vcore: 9m}}}\n");
    tree.guarantees().hold(AskId{1}, queue("root.p.x"), vcore(4));
    tree.guarantees().hold(AskId{2}, queue("root.p.y"), vcore(3));
    SparePods spare(tree.queues(), tree.guarantees(), queue("root.a"), queue("root.a"), 0);
    const Amount two{tree.resource("vcore"), 2};
    const Amount one{tree.resource("vcore"), 1};
    EXPECT_TRUE(spare.may_go(queue("root.p.x"), 0));
    EXPECT_FALSE(spare.may_go(queue("root.p.x"), 1));
    EXPECT_FALSE(spare.may_go(queue("root.a"), 0));
    spare.begin();
    EXPECT_TRUE(spare.take(queue("root.p.x"), Request(&two, 1)));   // x has 2 left, p has 5
    EXPECT_FALSE(spare.take(queue("root.p.y"), Request(&one, 1)));  // y could, p cannot
    spare.begin();
    EXPECT_TRUE(spare.take(queue("root.p.y"), Request(&one, 1)));
    EXPECT_FALSE(spare.take(queue("root.p.x"), Request(&two, 1)));  // p has 6 left
    EXPECT_TRUE(spare.take(queue("root.p.x"), Request(&one, 1)));
}

TEST_F(GuaranteesTest, names_that_begin_alike_are_no_ancestors) {
    give(
        "    - {name: a, resources: {guaranteed: {vcore: 5m}}}\n    - {name: ab, resources: {guaranteed: {vcore: "
        "5m}}}\n");
    tree.guarantees().hold(AskId{1}, queue("root.a"), vcore(5));
    SparePods spare(tree.queues(), tree.guarantees(), queue("root.ab"), queue("root.ab"), 0);
    const Amount one{tree.resource("vcore"), 1};
    EXPECT_TRUE(spare.may_go(queue("root.a"), 0));
    EXPECT_FALSE(spare.take(queue("root.a"), Request(&one, 1)));
}

TEST_F(GuaranteesTest, fences_and_offsets_decide_who_may_go) {
    give(
        "    - name: p\n      properties: {preemption.policy: fence}\n      queues:\n      - {name: x}\n"
        "      - {name: y, properties: {priority.offset: '-3'}}\n      - {name: z, properties: {preemption.policy: "
        "disabled}}\n"
        "    - {name: f, properties: {priority.policy: fence, priority.offset: '2'}}\n    - {name: a}\n");
    SparePods within(tree.queues(), tree.guarantees(), queue("root.p.x"), queue("root.p.x"), 0);
    EXPECT_TRUE(within.may_go(queue("root.p.y"), 3));
    EXPECT_FALSE(within.may_go(queue("root.p.y"), 4));
    EXPECT_FALSE(within.may_go(queue("root.p.z"), -9));
    EXPECT_FALSE(within.may_go(queue("root.a"), -9));
    SparePods outside(tree.queues(), tree.guarantees(), queue("root.a"), queue("root.a"), 1);
    EXPECT_TRUE(outside.may_go(queue("root.p.y"), 4));
    EXPECT_FALSE(outside.may_go(queue("root.f"), -9));  // all its pods rank 2
    SparePods higher(tree.queues(), tree.guarantees(), queue("root.a"), queue("root.a"), 2);
    EXPECT_TRUE(higher.may_go(queue("root.f"), 100));
}

}  // namespace
}  // namespace bayplan::queue_tree
