// Applications of a leaf by shares, with more resources than an order keeps at hand.
#include <gtest/gtest.h>

#include "partition.h"
#include "queue_tree/queue_tree.h"

namespace bayplan::queue_tree {
namespace {

TEST(SharesOfApplications, the_first_that_differs_decides_however_small_it_is) {
    QueueTree tree;
    std::string why;
    ASSERT_TRUE(tree.reload(root_with("    - name: a\n      properties: {application.sort.policy: fair}\n"), why))
        << why;
    tree.set_capacity(std::nullopt, {{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}, {"e", 100}});
    const QueueId leaf = tree.queues().find("root.a");
    const ApplicationId older = tree.add_application(leaf, {"ann", {}});
    const ApplicationId younger = tree.add_application(leaf, {"bob", {}});
    const auto runs = [&](AskId id, ApplicationId application, const Resources& resources) {
        tree.add_ask(id, application, resources, 0, 0);
        tree.restore(id);
    };
    runs(AskId{0}, older, {{"a", 50}, {"b", 40}, {"c", 30}, {"d", 20}});
    runs(AskId{1}, younger, {{"b", 50}, {"c", 40}, {"d", 30}, {"e", 19}});
    for (const auto& [id, application] : {std::pair(AskId{2}, older), std::pair(AskId{3}, younger)}) {
        tree.add_ask(id, application, {{"e", 1}}, 0, 0);
        tree.insert(id);
    }
    EXPECT_EQ(tree.peek(), AskId{3});
    EXPECT_TRUE(tree.before(AskId{3}, AskId{2}));
    tree.resize(AskId{1}, {{"b", 50}, {"c", 40}, {"d", 30}, {"e", 21}});
    EXPECT_EQ(tree.peek(), AskId{2});
    EXPECT_TRUE(tree.before(AskId{2}, AskId{3}));
    tree.resize(AskId{0}, {{"a", 50}, {"b", 40}, {"c", 30}, {"d", 21}, {"e", 1}});  // one share more
    EXPECT_EQ(tree.peek(), AskId{3});
}

}  // namespace
}  // namespace bayplan::queue_tree
