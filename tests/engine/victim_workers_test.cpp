// The workers that look for victims: every piece is done once, by a thread that is free, and the CPUs are noted.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <set>
#include <vector>

#include "preemption/victim_workers.h"

namespace bayplan {
namespace {

TEST(VictimWorkers, EachPieceIsDoneOnce) {
    for (const std::uint32_t count : {0u, 1u, 3u}) {
        VictimWorkers workers(count, {});
        EXPECT_EQ(workers.count(), count);
        for (std::uint32_t pieces = 0; pieces < 200; ++pieces) {
            std::vector<std::uint32_t> done(pieces);
            workers.run(pieces, [&](std::uint32_t piece) { ++done[piece]; });
            EXPECT_EQ(done, std::vector<std::uint32_t>(pieces, 1)) << count << " workers";
        }
    }
}

TEST(VictimWorkers, WhatTheyFindIsSeenAfterwards) {
    VictimWorkers workers(2, {});
    std::vector<std::uint64_t> found(16);
    for (std::uint64_t round = 1; round <= 500; ++round) {
        // Written by one thread, read by another in the next round: nothing but run() keeps them apart.
        workers.run(16, [&](std::uint32_t piece) { found[piece] += found[piece] == round - 1 ? 1 : 0; });
        EXPECT_EQ(found, std::vector<std::uint64_t>(16, round));
    }
}

TEST(VictimWorkers, AWorkerTakesPartWhenTheCallerIsHeldUp) {
    std::atomic<int> started{0};
    VictimWorkers workers(1, [&](std::uint32_t worker) {
        EXPECT_EQ(worker, 0u);
        ++started;
    });
    // Two pieces that wait for each other: one thread alone would never end.
    std::atomic<int> there{0};
    workers.run(2, [&](std::uint32_t) {
        ++there;
        while (there < 2) {
            sched_yield();
        }
    });
    EXPECT_EQ(started, 1);
    EXPECT_EQ(workers.pieces_by_workers(), 1u);
}

TEST(SeenCpus, AreThoseThatThreadsRanOn) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    SeenCpus seen;
    EXPECT_TRUE(seen.cpus().empty());
    VictimWorkers workers(3, {});
    workers.run(64, [&](std::uint32_t) { seen.note_this_thread(); });
    EXPECT_FALSE(seen.cpus().empty());
    std::set<std::uint32_t> once;
    for (const std::uint32_t cpu : seen.cpus()) {
        EXPECT_TRUE(CPU_ISSET(cpu, &allowed)) << cpu;
        EXPECT_TRUE(once.insert(cpu).second) << cpu;
    }
}

}  // namespace
}  // namespace bayplan
