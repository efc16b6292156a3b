// Settings that must not decide do not decide: one history under many ways of executing it gives
// the same bytes. The engine alone; its inputs are made absolute once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "engine/engine.h"
#include "feed.h"
#include "generator.h"
#include "recording_sink.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kHistories = 120;
constexpr std::uint64_t kWideHistories = 12;
constexpr int kConfigurations = 12;
constexpr std::uint64_t kPartitions = 3;
constexpr std::uint64_t kMeetings = 16;
constexpr std::uint64_t kWideMeetings = 4;

struct Result {
    std::string digest;
    std::vector<std::string> log;
    std::map<ConnectionId, std::vector<oracle::NumberedDecision>> decisions;

    bool operator==(const Result&) const = default;
};

std::vector<Numbers> absolute(const History& history) {
    oracle::Oracle oracle(history.options);
    Connections connections;
    std::vector<Numbers> out;
    for (const Event& event : history.events) {
        out.push_back(resolve(event, oracle, connections));
        if (const auto* run = std::get_if<RunEvent>(&event)) {
            oracle.run(run->attempts_max);
        } else {
            feed(oracle, event, out.back(), history.options);
        }
    }
    return out;
}

// One engine on its way through a history.
class Execution {
public:
    Execution(const History& history, const std::vector<Numbers>& numbers, const EngineOptions& options)
        : history_(history), numbers_(numbers), options_(options), sink_(history.seed), engine_(options_, sink_) {}

    // Takes the next event; false: there is none.
    bool step() {
        if (next_ == history_.events.size()) {
            return false;
        }
        if (const auto* run = std::get_if<RunEvent>(&history_.events[next_])) {
            engine_.run(run->attempts_max);
        } else {
            feed(engine_, history_.events[next_], numbers_[next_], options_);
        }
        engine_.flush();
        ++next_;
        return true;
    }
    Result result() {
        Result result{engine_.digest(), sink_.log(), {}};
        for (const auto& [connection, delivered] : sink_.delivered()) {
            result.decisions[connection] = delivered.decisions;
        }
        return result;
    }

private:
    const History& history_;
    const std::vector<Numbers>& numbers_;
    const EngineOptions options_;
    RecordingSink sink_;
    Engine engine_;
    std::size_t next_ = 0;
};

Result execute(const History& history, const std::vector<Numbers>& numbers, const EngineOptions& options) {
    Execution execution(history, numbers, options);
    while (execution.step()) {
    }
    return execution.result();
}

void execute_in_every_way(std::uint64_t usual, std::uint64_t first_seed, QueueCount queues) {
    const Suite suite = Suite::from_environment(usual);
    // Each runs twelve times: of many a quarter.
    const std::uint64_t histories = std::min(suite.histories, std::max(usual, suite.histories / 4));
    for (std::uint64_t i = 0; i < histories && !::testing::Test::HasFailure(); ++i) {
        const std::uint64_t seed = suite.first_seed + first_seed + i;
        const SeedInCrashes note(seed);
        const History history = history_of(seed, suite.with_tbb, queues);
        const std::vector<Numbers> numbers = absolute(history);
        EngineOptions options = history.options;
        options.executor = ExecutorKind::inline_;
        options.path = BatchPath::inline_;
        options.workers = options.shards = options.batch = options.depth = 1;
        options.victim_workers = 0;
        options.victim_path = VictimPath::plain;
        const Result plain = execute(history, numbers, options);
        Random random(seed);
        for (int configuration = 1; configuration < kConfigurations; ++configuration) {
            randomize_execution(options, random, suite.with_tbb);
            options.teller = random.chance(50) ? TellerMode::thread : TellerMode::inline_;
            options.teller_ring_bytes = random.pick(std::vector<std::uint32_t>{1u << 10, 1u << 12, 1u << 20});
            options.class_caches_bytes = random.pick(std::vector<std::uint64_t>{1u << 10, 1u << 14, 512u << 20});
            const Result other = execute(history, numbers, options);
            EXPECT_TRUE(other == plain) << "seed " << seed << " differs with " << to_text(options);
        }
    }
}

TEST(Property, ExecutionDoesNotDecide) { execute_in_every_way(kHistories, 1'000'000, QueueCount::some); }

TEST(Property, ExecutionDoesNotDecideInTreesOfAHundredQueues) {
    execute_in_every_way(kWideHistories, 3'000'000, QueueCount::hundred);
}

// Several histories, each with its numbers: partitions of one process.
class Partitions {
public:
    Partitions(std::uint64_t seed, bool with_tbb, QueueCount queues) : seed_(seed) {
        for (std::uint64_t i = 0; i < kPartitions; ++i) {
            histories_.push_back(history_of(seed + i, with_tbb, queues));
            numbers_.push_back(absolute(histories_[i]));
        }
    }

    Result alone(std::size_t which) const {
        return execute(histories_[which], numbers_[which], histories_[which].options);
    }

    std::vector<Result> by_turns() const {
        std::vector<std::unique_ptr<Execution>> all;
        for (std::size_t i = 0; i < kPartitions; ++i) {
            all.push_back(std::make_unique<Execution>(histories_[i], numbers_[i], histories_[i].options));
        }
        std::vector<Execution*> left;
        for (const auto& one : all) left.push_back(one.get());
        for (Random random(seed_); !left.empty();) {
            const auto at = left.begin() + static_cast<std::ptrdiff_t>(random.below(left.size()));
            if (!(*at)->step()) left.erase(at);
        }
        std::vector<Result> results;
        for (const auto& one : all) results.push_back(one->result());
        return results;
    }

    std::vector<Result> in_threads() const {
        std::vector<Result> results(kPartitions);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < kPartitions; ++i) {
            threads.emplace_back([&, i] { results[i] = alone(i); });
        }
        for (std::thread& thread : threads) thread.join();
        return results;
    }

private:
    const std::uint64_t seed_;
    std::vector<History> histories_;
    std::vector<std::vector<Numbers>> numbers_;
};

// Each partition decides beside the others as it does alone, by turns in one thread and each in a thread of its own.
void meet(std::uint64_t meetings, std::uint64_t first_seed, QueueCount queues) {
    const std::uint64_t usual = kPartitions * meetings;
    const Suite suite = Suite::from_environment(usual);
    const std::uint64_t histories = std::min(suite.histories, std::max(usual, suite.histories / 20));
    for (std::uint64_t first = 0; first < histories && !::testing::Test::HasFailure(); first += kPartitions) {
        const std::uint64_t seed = suite.first_seed + first_seed + first;
        const SeedInCrashes note(seed);
        const Partitions partitions(seed, suite.with_tbb, queues);
        const std::vector<Result> by_turns = partitions.by_turns();
        const std::vector<Result> in_threads = partitions.in_threads();
        for (std::size_t i = 0; i < kPartitions; ++i) {
            const Result alone = partitions.alone(i);
            EXPECT_TRUE(by_turns[i] == alone) << "by turns, seed " << seed + i;
            EXPECT_TRUE(in_threads[i] == alone) << "in threads, seed " << seed + i;
        }
    }
}

TEST(Property, PartitionsDoNotMeet) { meet(kMeetings, 2'000'000, QueueCount::some); }

TEST(Property, PartitionsOfAHundredQueuesDoNotMeet) { meet(kWideMeetings, 4'000'000, QueueCount::hundred); }

}  // namespace
}  // namespace bayplan::property
