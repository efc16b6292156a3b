// Settings that the property tests share: how many histories, from which seed, with or without TBB, and how a failing
// one is shown.
//
// BAYPLAN_HISTORIES=N   that many histories in place of the default
// BAYPLAN_CROWDS=N      likewise, of crowded clusters
// BAYPLAN_MIXES=N       likewise, of mixes of pod groups
// BAYPLAN_WIDE_TREES=N  likewise, in wide trees of queues
// BAYPLAN_SEED=S        the first seed; without BAYPLAN_HISTORIES only that one
// BAYPLAN_NO_TBB=1      no TBB executor
// BAYPLAN_SHRINK_TRIALS=N  attempts at most to make a failing history smaller; 0: it is printed as it is
//
// Thread: one. Errors: a number that cannot be read counts as not given.
#pragma once

#include <cstdint>
#include <string>

#include "generator.h"
#include "history.h"

namespace bayplan::property {

struct Suite {
    std::uint64_t first_seed = 1;
    std::uint64_t histories = 0;
    bool with_tbb = true;
    bool complete = true;  // large enough to demand full coverage

    // `usual` is what a release build takes; sanitizer builds take a share of it. `histories` is the variable that says
    // otherwise.
    static Suite from_environment(std::uint64_t usual, const char* histories = "BAYPLAN_HISTORIES");
    // By how much fewer: 1 without a sanitizer.
    static std::uint64_t slowdown();
    // Of so many things what a build takes: with a sanitizer a share, unless `tests/run --full` runs it.
    static std::uint64_t share(std::uint64_t whole);
    static int shrink_trials();
};

// The options that belong to a seed.
EngineOptions options_of(std::uint64_t seed, bool with_tbb);

// The history that belongs to a seed, made with the help of an oracle alone.
History history_of(std::uint64_t seed, bool with_tbb, QueueCount = QueueCount::some);

// While it lives, a crash or a history that takes minutes ends the process with the seed on stderr.
class SeedInCrashes {
public:
    explicit SeedInCrashes(std::uint64_t seed);
    ~SeedInCrashes();
    SeedInCrashes(const SeedInCrashes&) = delete;
    SeedInCrashes& operator=(const SeedInCrashes&) = delete;
};

}  // namespace bayplan::property
