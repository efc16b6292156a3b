// Elements of several asks: room for all of them or none, and the rank of the first.
#include <array>

#include <gtest/gtest.h>

#include "partition.h"
#include "queue_tree/queue_tree.h"

namespace bayplan::queue_tree {
namespace {

class Elements : public ::testing::Test {
protected:
    Elements() {
        std::string why;
        EXPECT_TRUE(tree_.reload(root_with("    - name: a\n      resources: {max: {vcore: 5m}}\n"), why)) << why;
        tree_.set_capacity(std::nullopt, {{"vcore", 100}});
        application_ = tree_.add_application(tree_.queues().find("root.a"), {"ann", {"ann"}});
        for (std::uint32_t id = 0; id < 4; ++id) {
            tree_.add_ask(AskId{id}, application_, {{"vcore", 2}}, 0, id);
        }
    }
    std::vector<AskId> take() {
        const std::span<const AskId> taken = tree_.take_element();
        return {taken.begin(), taken.end()};
    }

    QueueTree tree_;
    ApplicationId application_{};
    const std::array<AskId, 3> three_ = {AskId{0}, AskId{1}, AskId{2}};
};

TEST_F(Elements, one_that_has_no_room_as_a_whole_waits_and_others_go_on) {
    tree_.insert(three_);
    tree_.insert(AskId{3});
    EXPECT_EQ(take(), (std::vector<AskId>{AskId{3}}));
    EXPECT_TRUE(take().empty());
    EXPECT_EQ(tree_.lacking(AskId{0}),
              "queue root.a has not enough left for {vcore: 6m}: {vcore: 2m} of {vcore: 5m} used");
}

TEST(Reasons, of_users_and_applications_say_how_much_there_may_be) {
    QueueTree tree;
    std::string why;
    ASSERT_TRUE(
        tree.reload(root_with("    - name: a\n      maxapplications: 2\n      limits: [{limit: l, users: [ann], "
                              "maxresources: {vcore: 3m, memory: 50}}]\n"),
                    why))
        << why;
    tree.set_capacity(std::nullopt, {{"vcore", 100}, {"memory", 100}});
    const QueueId leaf = tree.queues().find("root.a");
    const auto add = [&](std::uint32_t id, const char* user) {
        tree.add_ask(AskId{id}, tree.add_application(leaf, {user, {}}), {{"vcore", 2}, {"memory", 5}}, 0, id);
        tree.insert(AskId{id});
    };
    add(0, "ann");
    add(1, "ann");
    EXPECT_EQ(tree.take(), AskId{0});
    EXPECT_EQ(tree.take(), kNone<AskId>);
    EXPECT_EQ(tree.lacking(AskId{1}),
              "user ann in root.a has not enough left for {memory: 5, vcore: 2m}: {vcore: 2m} of {vcore: 3m} used");
    add(2, "bob");
    EXPECT_EQ(tree.take(), AskId{2});
    add(3, "bob");
    EXPECT_EQ(tree.take(), kNone<AskId>);
    EXPECT_EQ(tree.lacking(AskId{3}), "queue root.a runs as many applications as it may: 2");
}

TEST_F(Elements, one_that_loses_an_ask_needs_less_room) {
    tree_.insert(three_);
    EXPECT_TRUE(take().empty());
    tree_.remove(AskId{0});
    tree_.release(AskId{0});
    EXPECT_EQ(take(), (std::vector<AskId>{AskId{1}, AskId{2}}));
    EXPECT_EQ(tree_.usage().allocated(kRoot), (Resources{{"vcore", 4}}));
}

TEST_F(Elements, room_that_comes_back_wakes_one_for_which_it_is_enough) {
    tree_.insert(AskId{3});
    EXPECT_EQ(take().size(), 1u);
    tree_.insert(std::span(three_).first(2));
    EXPECT_TRUE(take().empty());
    tree_.give_back(AskId{3});
    EXPECT_EQ(take(), (std::vector<AskId>{AskId{0}, AskId{1}}));
}

TEST_F(Elements, requests_are_kept_while_somebody_has_them) {
    tree_.insert(three_);
    EXPECT_EQ(tree_.requests(), 2u);  // of an ask, and of the three
    tree_.remove(AskId{1});
    EXPECT_EQ(tree_.requests(), 2u);  // of an ask, and of the two that are left
    EXPECT_EQ(take(), (std::vector<AskId>{AskId{0}, AskId{2}}));
    EXPECT_EQ(tree_.requests(), 1u);
    tree_.resize(AskId{3}, {{"vcore", 1}});
    EXPECT_EQ(tree_.requests(), 2u);
    for (const AskId id : {AskId{0}, AskId{2}}) tree_.give_back(id);
    for (std::uint32_t id = 0; id < 4; ++id) tree_.release(AskId{id});
    EXPECT_EQ(tree_.requests(), 0u);
}

TEST_F(Elements, an_application_that_is_not_allowed_keeps_its_asks) {
    tree_.insert(AskId{3});
    tree_.allow(application_, false);
    EXPECT_TRUE(take().empty());
    EXPECT_FALSE(tree_.selectable(AskId{3}));
    tree_.allow(application_, true);
    EXPECT_EQ(take().size(), 1u);
}

// An ask that was taken by force and is given back has left nothing behind: the application never ran.
TEST_F(Elements, a_taking_that_is_undone_leaves_no_trace) {
    tree_.take(AskId{0});
    EXPECT_EQ(tree_.usage().running(kRoot), 1u);
    tree_.give_back(AskId{0});
    EXPECT_EQ(tree_.usage().running(kRoot), 0u);
    EXPECT_EQ(tree_[application_].state, ApplicationState::accepted);
    EXPECT_EQ(tree_.usage().pending(kRoot), (Resources{{"vcore", 8}}));
}

// The first and the last of three leave; the one between them is still known to wait.
TEST(WaitingApplications, may_leave_in_any_order) {
    QueueTree tree;
    std::string why;
    ASSERT_TRUE(tree.reload(root_with("    - name: a\n      maxapplications: 1\n"), why)) << why;
    tree.set_capacity(std::nullopt, {{"vcore", 100}});
    std::array<ApplicationId, 4> applications{};
    for (std::uint32_t id = 0; id < 4; ++id) {
        applications[id] = tree.add_application(tree.queues().find("root.a"), {"ann", {"ann"}});
        tree.add_ask(AskId{id}, applications[id], {{"vcore", 1}}, 0, id);
        tree.insert(AskId{id});
    }
    EXPECT_EQ(tree.take(), AskId{0});
    EXPECT_EQ(tree.take(), kNone<AskId>);
    for (const std::uint32_t id : {1u, 3u}) {
        tree.remove(AskId{id});
        tree.release(AskId{id});
        tree.remove_application(applications[id]);
    }
    tree.placed(AskId{0});
    tree.release(AskId{0});
    EXPECT_EQ(tree.take(), AskId{2});
}

}  // namespace
}  // namespace bayplan::queue_tree
