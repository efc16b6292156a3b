// Writes seeds for queues_fuzz: configurations of queues that use everything there is.
//
// Usage: queues_corpus DIRECTORY
#include "queue_seeds.h"
#include "seeds.h"

int main(int argc, char** argv) {
    bayplan::fuzz::Seeds seeds;
    for (const std::string_view seed : bayplan::queue_config::kQueueSeeds) {
        seeds.emplace_back("queues" + std::to_string(seeds.size()) + ".yaml", seed);
    }
    return bayplan::fuzz::write_seeds(argc, argv, seeds);
}
