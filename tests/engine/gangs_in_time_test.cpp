// Pod groups against time: the last member that comes when its group is rejected, very large groups, and a large group among
// small pods that never stop coming.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "tests/engine/harness.h"

namespace bayplan::testing {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRounds = 20'000;
#else
constexpr int kRounds = 1'000'000;
#endif

EngineOptions options_of(Coscheduling mode) {
    EngineOptions made;
    made.executor = ExecutorKind::inline_;
    made.victim_workers = 0;
    made.coscheduling.mode = mode;
    return made;
}

class GangsInTime {
public:
    explicit GangsInTime(const EngineOptions& options) : engine_(options, sink_), shim_(engine_, "s") {
        shim_.application("job");
    }

    void node(const std::string& name, std::int64_t cpu) { shim_.node(name, {{"cpu", cpu}}); }
    void member(const std::string& key, const std::string& group, std::uint32_t minimum, std::int64_t cpu) {
        shim_.member(key, "job", group, minimum, {{"cpu", cpu}});
    }
    void single(const std::string& key, std::int64_t cpu) { shim_.ask(key, "job", {{"cpu", cpu}}); }
    void release(const std::string& key) { shim_.release(key); }
    void time(std::int64_t now_ns) { engine_.apply(Tick{now_ns}); }
    void run(std::uint64_t attempts = 1'000) { engine_.run(attempts); }
    void acknowledge_all() {
        while (engine_.flush() > 0) {
        }
        decisions_ += sink_.kept[1].size();
        sink_.kept[1].clear();
        sink_.log.clear();
        shim_.acknowledge(decisions_);
    }
    std::string state(const std::string& key) const { return engine_.ask_state("s", key); }
    bool is_placed(const std::string& key) const {
        const std::string now = state(key);
        return now == "unacknowledged" || now == "allocated";
    }
    std::string audit() {
        std::vector<std::string> broken;
        engine_.audit(broken);
        return broken.empty() ? "" : broken.front();
    }

private:
    KeepingSink sink_;
    Engine engine_;
    TestShim shim_;
    std::uint64_t decisions_ = 0;
};

// One member holds a node until the deadline, for another is too large. A third comes before it, in its instant or after it, with
// attempts before, between or after: wherever it comes, both are placed as soon as the backoff is over.
TEST(GangsInTime, the_last_member_comes_when_its_group_is_rejected) {
    EngineOptions options = options_of(Coscheduling::permit);
    options.coscheduling.permit_timeout_ns = kSecond_ns;
    options.coscheduling.permit_timeout_per_member_ns = 0;
    GangsInTime world(options);
    world.node("n", 2);
    std::mt19937 random(18);
    std::int64_t now = 0;
    int rejected = 0;
    for (int round = 0; round < kRounds; ++round) {
        now += 100 * kSecond_ns;
        world.time(now);
        world.member("first", "g", 2, 1);
        world.member("large", "g", 2, 9);
        world.run();
        ASSERT_EQ(world.state("first"), "on_permit") << "round " << round;

        const std::int64_t instant = now + kSecond_ns + static_cast<std::int64_t>(random() % 3) - 1;
        const unsigned when = random() % 2;
        if (when == 0) world.member("last", "g", 2, 1);
        if (random() % 2 == 0) world.run(random() % 3);
        world.time(instant);
        if (random() % 2 == 0) world.run(random() % 3);
        if (when == 1) world.member("last", "g", 2, 1);
        rejected += world.state("first") == "on_permit" || world.is_placed("first") ? 0 : 1;
        world.run();
        world.time(now + 50 * kSecond_ns);
        world.run();
        ASSERT_TRUE(world.is_placed("first") && world.is_placed("last"))
            << "round " << round << ": " << world.state("first") << ", " << world.state("last");
        world.release("first");
        world.release("last");
        world.release("large");
        world.acknowledge_all();
    }
    EXPECT_GT(rejected, kRounds / 10);
    EXPECT_LT(rejected, kRounds - kRounds / 10);
    EXPECT_EQ(world.audit(), "");
}

class LargeGang : public ::testing::TestWithParam<Coscheduling> {};

TEST_P(LargeGang, is_placed_if_the_last_member_fits_too) {
    constexpr int kNodes = 100, kOfNode = 100, kMembers = kNodes * kOfNode + 1;
    EngineOptions options = options_of(GetParam());
    options.credit_window = 4 * kMembers;
    GangsInTime world(options);
    for (int node = 0; node < kNodes; ++node) world.node("n" + std::to_string(node), kOfNode);
    const auto placed = [&] {
        int count = 0;
        for (int number = 0; number < kMembers; ++number)
            count += world.is_placed("m" + std::to_string(number)) ? 1 : 0;
        return count;
    };
    for (int number = 0; number < kMembers; ++number) world.member("m" + std::to_string(number), "g", kMembers, 1);
    world.run(3 * kMembers);
    EXPECT_EQ(placed(), 0);
    EXPECT_EQ(world.audit(), "");

    world.time(1'000 * kSecond_ns);
    world.run(3 * kMembers);
    world.node("one-more", 1);
    world.time(2'000 * kSecond_ns);
    world.run(3 * kMembers);
    EXPECT_EQ(placed(), kMembers);
    EXPECT_EQ(world.audit(), "");
}

INSTANTIATE_TEST_SUITE_P(Modes, LargeGang, ::testing::Values(Coscheduling::unit, Coscheduling::permit),
                         [](const auto& info) { return info.param == Coscheduling::unit ? "unit" : "permit"; });

// Small pods come whenever one is gone, so that some always wait. A group needs half of the nodes to itself.
class Flow {
public:
    Flow(std::uint32_t seed, std::int64_t reserve_after_s) : random_(seed), world_(options(reserve_after_s)) {
        for (int node = 0; node < kNodes; ++node) world_.node("n" + std::to_string(node), kCpu);
        for (int second = 0; second < 30; ++second) pass();
        for (int number = 0; number < kMembers; ++number)
            world_.member("m" + std::to_string(number), "g", kMembers, kCpu);
    }
    // After how many seconds the group is placed; -1: not within the given ones.
    std::int64_t wait(std::int64_t seconds) {
        const std::int64_t began = now_s_;
        while (now_s_ - began < seconds) {
            pass();
            if (world_.is_placed("m0")) return now_s_ - began;
        }
        return -1;
    }
    std::int64_t small_pods_placed() const { return ended_; }

    static constexpr std::int64_t kLongest = 15;  // of a small pod, in seconds

private:
    static constexpr int kNodes = 10, kMembers = 5, kWaiting = 30;
    static constexpr std::int64_t kCpu = 8;
    struct Running {
        std::string key;
        std::int64_t end_s = -1;  // -1: not placed
    };

    static EngineOptions options(std::int64_t reserve_after_s) {
        EngineOptions made = options_of(Coscheduling::unit);
        made.coscheduling.reserve_after_ns = reserve_after_s * kSecond_ns;
        return made;
    }

    void pass() {
        world_.time(++now_s_ * kSecond_ns);
        int waiting = 0;
        std::erase_if(pods_, [&](Running& pod) {
            if (pod.end_s < 0 && world_.is_placed(pod.key)) pod.end_s = now_s_ + 1 + random_() % kLongest;
            waiting += pod.end_s < 0 ? 1 : 0;
            if (pod.end_s < 0 || pod.end_s > now_s_) return false;
            world_.release(pod.key);
            ++ended_;
            return true;
        });
        for (; waiting < kWaiting; ++waiting) {
            pods_.push_back({"small-" + std::to_string(came_++)});
            world_.single(pods_.back().key, 1);
        }
        world_.run();
        world_.acknowledge_all();
    }

    std::mt19937 random_;
    GangsInTime world_;
    std::deque<Running> pods_;
    std::int64_t now_s_ = 0;
    std::int64_t ended_ = 0;
    std::uint64_t came_ = 0;
};

// Nodes are reserved in the first attempt after that time, and are empty when the last small pod on them has ended.
TEST(GangsInTime, a_large_group_waits_for_small_pods_no_longer_than_reservations_say) {
    constexpr std::int64_t kAfter = 60, kBackoff = 10;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        Flow flow(seed, kAfter);
        const std::int64_t waited = flow.wait(1'000);
        EXPECT_GE(waited, kAfter) << "seed " << seed;
        EXPECT_LE(waited, kAfter + kBackoff + Flow::kLongest + kBackoff) << "seed " << seed;
        EXPECT_GT(flow.small_pods_placed(), 100) << "seed " << seed;
    }
}

TEST(GangsInTime, a_large_group_waits_for_ever_without_reservations) {
    for (std::uint32_t seed = 0; seed < 5; ++seed) EXPECT_EQ(Flow(seed, 0).wait(1'000), -1) << "seed " << seed;
}

}  // namespace
}  // namespace bayplan::testing
