// Settings of one engine. The first group decides placements (RULES.md, section 8); the second must not.
//
// Thread: plain data, fixed when the engine is made.
#pragma once

#include <cstdint>

namespace bayplan {

enum class ScorePolicy : std::uint8_t { least_allocated, most_allocated };
enum class ExecutorKind : std::uint8_t { inline_, threads, tbb };
enum class BatchPath : std::uint8_t { automatic, inline_, graph };

struct EngineOptions {
    // Decide.
    std::uint64_t daemon_instance = 1;
    std::uint32_t credit_window = 65'536;
    std::uint32_t unacknowledged_max = 262'144;
    std::uint32_t dictionary_max = 1'000'000;
    std::uint32_t nodes_max = 200'000;
    std::uint32_t applications_max = 100'000;
    std::uint32_t asks_max = 10'000'000;
    std::int64_t backoff_initial_ns = 1'000'000'000;
    std::int64_t backoff_max_ns = 10'000'000'000;
    ScorePolicy score = ScorePolicy::least_allocated;

    // Do not decide.
    ExecutorKind executor = ExecutorKind::tbb;
    BatchPath path = BatchPath::automatic;
    std::uint32_t workers = 1;  // proposal workers
    std::uint32_t shards = 4;
    std::uint32_t batch = 64;   // asks selected at a time
    std::uint32_t depth = 2;    // batches under way: 2 = the next is proposed while one commits
};

}  // namespace bayplan
