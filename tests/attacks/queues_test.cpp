// A shim with a certificate whose asks and applications all wait for room in one full queue, each with amounts of its own.
#include <gtest/gtest.h>

#include "queue_tree/queue_tree.h"
#include "tests/queue_tree/partition.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

using queue_tree::QueueTree;

class FullQueue {
public:
    explicit FullQueue(const std::string& limits) {
        std::string why;
        EXPECT_TRUE(tree.reload(queue_tree::root_with("    - name: a\n" + limits), why)) << why;
        tree.set_capacity(std::nullopt, {{"vcore", 1'000'000'000}});
    }
    ApplicationId application() { return tree.add_application(tree.queues().find("root.a"), {"ann", {"ann"}}); }
    void ask(std::uint32_t id, ApplicationId of, std::int64_t vcore, std::int32_t priority = 0) {
        tree.add_ask(AskId{id}, of, {{"vcore", vcore}}, priority, 0);
        tree.insert(AskId{id});
    }

    void withdraw(std::uint32_t id) {
        tree.remove(AskId{id});
        tree.release(AskId{id});
    }

    QueueTree tree;
};

// Eight times as many cost no more than twice eight times as much.
void expect_linear(std::uint64_t (*cost)(std::uint32_t)) {
    const std::uint64_t some = cost(500);
    const std::uint64_t many = cost(4'000);
    ::testing::Test::RecordProperty("some", std::to_string(some));
    ::testing::Test::RecordProperty("many", std::to_string(many));
    EXPECT_GT(some, 10'000u);  // the work is counted at all
    EXPECT_LT(many, 8 * 2 * some);
}

// Of so many asks, each of another size, that wait in a queue and are withdrawn again.
std::uint64_t cost_of_different_requests(std::uint32_t asks) {
    FullQueue queue("      resources: {max: {vcore: 5m}}\n");
    const ApplicationId application = queue.application();
    const std::uint64_t before = work();
    for (std::uint32_t id = 0; id < asks; ++id) {
        queue.ask(id, application, 6 + id);
    }
    EXPECT_EQ(queue.tree.take(), kNone<AskId>);
    EXPECT_NE(queue.tree.lacking(AskId{0}), "");
    for (std::uint32_t id = 0; id < asks; ++id) {
        queue.withdraw(id);
    }
    return work() - before;
}

TEST(FullQueues, different_requests_that_wait_there_cost_as_much_as_others) {
    expect_linear(cost_of_different_requests);
}

// Of so many applications that wait to run, and are withdrawn in the order opposite to that in which they came to wait.
std::uint64_t cost_of_waiting_applications(const std::string& limits, std::uint32_t applications) {
    FullQueue queue(limits);
    queue.ask(0, queue.application(), 1);
    EXPECT_EQ(queue.tree.take(), AskId{0});
    std::vector<ApplicationId> waiting;
    for (std::uint32_t id = 1; id <= applications; ++id) {
        waiting.push_back(queue.application());
        queue.ask(id, waiting.back(), 1);
    }
    EXPECT_EQ(queue.tree.take(), kNone<AskId>);
    const std::uint64_t before = work();
    for (std::uint32_t id = applications; id > 0; --id) {
        queue.withdraw(id);
        queue.tree.remove_application(waiting[id - 1]);
    }
    return work() - before;
}

TEST(FullQueues, applications_that_wait_to_run_leave_at_no_higher_cost) {
    expect_linear([](std::uint32_t applications) {
        return cost_of_waiting_applications("      maxapplications: 1\n", applications);
    });
}

TEST(FullQueues, applications_that_a_limit_does_not_let_run_leave_at_no_higher_cost) {
    expect_linear([](std::uint32_t applications) {
        return cost_of_waiting_applications("      limits: [{limit: one, users: [ann], maxapplications: 1}]\n",
                                            applications);
    });
}

// Each of a lower priority than all before it, and withdrawn again.
std::uint64_t cost_of_different_priorities(std::uint32_t asks) {
    FullQueue queue("      resources: {max: {vcore: 5m}}\n");
    const ApplicationId application = queue.application();
    const std::uint64_t before = work();
    for (std::uint32_t id = 0; id < asks; ++id) {
        queue.ask(id, application, 6, -static_cast<std::int32_t>(id));
    }
    for (std::uint32_t id = asks; id > 0; --id) {
        queue.withdraw(id - 1);
    }
    return work() - before;
}

TEST(FullQueues, asks_of_many_priorities_cost_as_much_as_others) {
    const std::uint64_t some = cost_of_different_priorities(8'000);
    const std::uint64_t many = cost_of_different_priorities(64'000);
    EXPECT_LT(many, 8 * 2 * some) << some;
}

// Queues made for applications that have gone again, which the cleaner takes away.
TEST(MadeQueues, are_taken_away_at_no_higher_cost_where_there_are_many) {
    expect_linear([](std::uint32_t queues) {
        FullQueue world("");
        std::string why;
        for (std::uint32_t number = 0; number < queues; ++number) {
            world.tree.queues().create_dynamic("root.q" + std::to_string(number), why);
        }
        const std::uint64_t before = work();
        world.tree.queues().clean();
        EXPECT_EQ(world.tree.queues().size(), 2u);
        return work() - before;
    });
}

// --- what a release costs while many wait: a hundred of them, each of which lets the next one in

constexpr std::uint32_t kReleases = 100;

std::uint64_t cost_of_releases(FullQueue& queue, AskId running) {
    const std::uint64_t before = work();
    for (std::uint32_t released = 0; released < kReleases; ++released) {
        queue.tree.release(running);
        running = queue.tree.take();
        EXPECT_NE(running, kNone<AskId>);
        EXPECT_EQ(queue.tree.peek(), kNone<AskId>);
        queue.tree.placed(running);
    }
    return work() - before;
}

// Eight times as many that wait make it a little dearer: a tree of them is three levels deeper.
void expect_logarithmic(std::uint64_t (*cost)(std::uint32_t)) {
    const std::uint64_t some = cost(500);
    const std::uint64_t many = cost(4'000);
    ::testing::Test::RecordProperty("some", std::to_string(some));
    ::testing::Test::RecordProperty("many", std::to_string(many));
    EXPECT_GT(some, 10'000u);
    EXPECT_LT(many, 2 * some);
}

// As many applications as asks, the first of which fills the queue; `vcore` of the others.
std::uint64_t cost_with_waiting_applications(const std::string& limits, std::uint32_t asks,
                                             std::int64_t (*vcore)(std::uint32_t)) {
    FullQueue queue(limits);
    queue.ask(0, queue.application(), 1'000'000);
    EXPECT_EQ(queue.tree.take(), AskId{0});
    queue.tree.placed(AskId{0});
    for (std::uint32_t id = 1; id <= asks; ++id) queue.ask(id, queue.application(), vcore(id));
    EXPECT_EQ(queue.tree.take(), kNone<AskId>);
    return cost_of_releases(queue, AskId{0});
}

TEST(FullQueues, a_release_does_not_wake_applications_that_there_is_no_room_for) {
    expect_logarithmic([](std::uint32_t asks) {
        return cost_with_waiting_applications("      resources: {max: {vcore: 1000}}\n", asks,
                                              [](std::uint32_t) -> std::int64_t { return 1'000'000; });
    });
}

TEST(FullQueues, a_release_does_not_wake_requests_that_there_is_no_room_for_however_they_differ) {
    expect_logarithmic([](std::uint32_t asks) {
        return cost_with_waiting_applications("      resources: {max: {vcore: 1000}}\n", asks,
                                              [](std::uint32_t id) -> std::int64_t { return 900'000 + id; });
    });
}

TEST(FullQueues, a_release_does_not_wake_different_requests_of_one_application) {
    expect_logarithmic([](std::uint32_t asks) {
        FullQueue queue("      resources: {max: {vcore: 1000}}\n");
        const ApplicationId application = queue.application();
        for (std::uint32_t id = 0; id <= asks; ++id) queue.ask(id, application, 900'000 + id);
        const AskId first = queue.tree.take();
        EXPECT_EQ(first, AskId{0});
        queue.tree.placed(first);
        EXPECT_EQ(queue.tree.take(), kNone<AskId>);
        return cost_of_releases(queue, first);
    });
}

TEST(FullQueues, the_end_of_an_application_does_not_wake_all_that_wait_to_run) {
    expect_logarithmic([](std::uint32_t asks) {
        return cost_with_waiting_applications("      maxapplications: 1\n", asks,
                                              [](std::uint32_t) -> std::int64_t { return 1'000; });
    });
}

// Two resources, each short for half of them: the least of both together is no shortage, and nobody has room. Asks that were
// looked at for nothing leave the order, so that the next ones do not look at them again.
TEST(FullQueues, asks_that_come_do_not_look_again_at_those_that_lack_one_thing_or_the_other) {
    expect_linear([](std::uint32_t asks) {
        FullQueue queue("      resources: {max: {vcore: 10m, memory: 10}}\n");
        const ApplicationId application = queue.application();
        const std::uint64_t before = work();
        for (std::uint32_t id = 0; id < asks; ++id) {
            const std::int64_t much = 11 + id;
            queue.tree.add_ask(AskId{id}, application,
                               {{"vcore", id % 2 == 0 ? 1 : much}, {"memory", id % 2 == 0 ? much : 1}}, 0, 0);
            queue.tree.insert(AskId{id});
            EXPECT_EQ(queue.tree.peek(), kNone<AskId>);
        }
        return work() - before;
    });
}

}  // namespace
}  // namespace bayplan::attacks
