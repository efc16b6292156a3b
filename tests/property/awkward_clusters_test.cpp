// Small clusters with everything awkward at once: the engine equals the oracle after every step.
#include <gtest/gtest.h>

#include <iostream>

#include "awkward_clusters.h"
#include "generator.h"
#include "lockstep.h"
#include "shrink.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kHistories = 1000;
constexpr std::uint64_t kAwkwardSalt = 0xa3b4;
constexpr int kShrinkTrials = 3000;
constexpr int kFailuresShown = 3;

using Met = std::map<std::string, std::uint64_t>;

EngineOptions options_by(Random& random, bool with_tbb) {
    EngineOptions options;
    options.daemon_instance = 1;
    options.compat = random.chance(50) ? Compat::bayplan : Compat::kubernetes_1_35;
    options.preemption = PreemptionOptions::of(options.compat);
    options.backoff_early = random.chance(50);
    randomize_execution(options, random, with_tbb);
    if (random.chance(90)) {  // starting threads costs more than the whole history
        options.executor = ExecutorKind::inline_;
        options.victim_workers = 0;
    }
    return options;
}

// True: the history was played to its end without a difference.
bool play(std::uint64_t seed, bool with_tbb, Met& met) {
    const SeedInCrashes note(seed);
    Random random(seed ^ kAwkwardSalt);
    History history{seed, options_by(random, with_tbb), {}};
    AwkwardCluster cluster(seed);
    Lockstep lockstep(history.options);
    std::string what;
    while (what.empty() && history.events.size() < cluster.length()) {
        history.events.push_back(cluster.next(lockstep.oracle()));
        what = lockstep.step(history.events.back());
    }
    what = what.empty() ? lockstep.finish() : what;
    cluster.note_placed(lockstep.oracle(), met);
    for (const auto& [rule, times] : lockstep.oracle().decided_by()) {
        met[rule] += times;
    }
    met["nominations"] += lockstep.oracle().counters().nominated;
    met["placements"] += lockstep.oracle().counters().placed;
    met["failures"] += lockstep.oracle().counters().failed;
    if (what.empty()) {
        return true;
    }
    const History small = shrink(
        history, [](const History& candidate) { return first_difference(candidate).has_value(); }, kShrinkTrials);
    ADD_FAILURE() << "seed " << seed << " at event " << history.events.size() - 1 << ": " << what
                  << "\nThe smallest history found:\n"
                  << to_text(small);
    return false;
}

TEST(Property, EngineEqualsOracleInAwkwardClusters) {
    const Suite suite = Suite::from_environment(kHistories, "BAYPLAN_CROWDS");
    Met met;
    int failures = 0;
    for (std::uint64_t i = 0; i < suite.histories && failures < kFailuresShown; ++i) {
        failures += play(suite.first_seed + i, suite.with_tbb, met) ? 0 : 1;
    }
    for (const auto& [what, times] : met) {
        std::cout << "  " << times << "  " << what << "\n";
    }
    if (suite.complete && failures == 0) {
        for (const char* const what :
             {"placed: a claim's volume", "placed: an ephemeral volume", "placed: a GCE disk", "placed: an AWS disk",
              "placed: an iSCSI volume", "placed: an RBD volume", "placed: another volume", "placed: claims on devices",
              "placed: soft or hard spread", "placed: affinity", "nominations", "failures", "rule: taken from a budget",
              "rule: placed on the nominated node"}) {
            EXPECT_GT(met[what], 0u) << what;
        }
        EXPECT_GT(met["placements"], 5 * suite.histories);
    }
}

}  // namespace
}  // namespace bayplan::property
