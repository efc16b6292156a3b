// Settings of one engine. The first group decides placements (RULES.md, section 8); the second must not.
//
// Thread: plain data, fixed when the engine is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bayplan {

enum class ScorePolicy : std::uint8_t { least_allocated, most_allocated };
// Where the design's seeds and today's Kubernetes differ (RULES.md says where).
enum class Compat : std::uint8_t { seed, kubernetes_1_35 };

// Weight of each score plugin; 0 = switched off. Kubernetes' defaults.
struct ScoreWeights {
    std::int32_t taint_toleration = 3;
    std::int32_t node_affinity = 2;
    std::int32_t pod_topology_spread = 2;
    std::int32_t inter_pod_affinity = 2;
    std::int32_t resources_fit = 1;
    std::int32_t balanced_allocation = 1;
    std::int32_t image_locality = 1;
};

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
    std::uint32_t specs_max = 200'000;
    std::uint32_t objects_max = 2'000'000;
    ScorePolicy score = ScorePolicy::least_allocated;  // of NodeResourcesFit
    ScoreWeights weights;
    std::vector<std::string> predicates;  // white-list by name; empty = all
    std::vector<std::string> reservation_predicates;  // the same, of the reservation phase
    Compat compat = Compat::seed;

    // Do not decide.
    ExecutorKind executor = ExecutorKind::tbb;
    BatchPath path = BatchPath::automatic;
    std::uint32_t workers = 1;  // proposal workers
    std::uint32_t shards = 4;
    std::uint32_t batch = 64;   // asks selected at a time
    std::uint32_t depth = 2;    // batches under way: 2 = the next is proposed while one commits
};

}  // namespace bayplan
