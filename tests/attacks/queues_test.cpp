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
std::uint64_t cost_of_waiting_applications(std::uint32_t applications) {
    FullQueue queue("      maxapplications: 1\n");
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

TEST(FullQueues, applications_that_wait_to_run_leave_at_no_higher_cost) { expect_linear(cost_of_waiting_applications); }

}  // namespace
}  // namespace bayplan::attacks
