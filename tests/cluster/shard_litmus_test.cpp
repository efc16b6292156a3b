// Shards under fire: readers look while the writer writes and publishes.
//
// Allowed:   a look that shows one published state, old or new.
// Forbidden: a look that shows half of a change (lanes of one block that disagree, a block that
//            disagrees with its version), a state that was never published, or a state older than the one before.
//
// The writer sets all lanes of a block to the same number, lane by lane, so any look into the middle of
// a change shows. Faults put in on purpose (tests/mutants) must each make this fail: no wait for
// readers, no second look at the active side.

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "cluster/shard.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kBlocks = 4;
constexpr int kReaders = 2;

// States count up: each adds one to what the writer's side says already, so a side that missed a change stays wrong.
void write_state(Shard& shard, std::int64_t value) {
    const ResourceAmount more{static_cast<ResourceId>(0), 1};
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            shard.add_used(block, lane, std::span(&more, 1), +1, static_cast<std::uint64_t>(value));
        }
    }
}

// The number that the whole side shows, or -1 if its parts disagree.
std::int64_t number_of(const ShardSide& side) {
    const auto first = static_cast<std::int64_t>(side.versions[0]);
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
        if (static_cast<std::int64_t>(side.versions[block]) != first) {
            return -1;
        }
        for (const std::int64_t used : side.blocks[block].resources[0]->used) {
            if (used != first) {
                return -1;
            }
        }
    }
    return first;
}

struct Findings {
    std::atomic<std::uint64_t> looks{0};
    std::atomic<std::uint64_t> looks_during_publish{0};
    std::atomic<std::uint64_t> torn{0};
    std::atomic<std::uint64_t> went_back{0};
};

TEST(ShardLitmus, readers_run_while_the_writer_writes_and_see_whole_states_only) {
    ReaderSlots readers(kReaders);
    Shard shard(0, readers);
    shard.write({.field = NodeDelta::Field::grow, .value = kBlocks});
    write_state(shard, 1);
    shard.publish();

    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> published{1};
    std::atomic<bool> publishing{false};
    Findings found;
    std::vector<std::thread> threads;
    for (int number = 0; number < kReaders; ++number) {
        threads.emplace_back([&, number] {
            std::int64_t last = 0;
            while (!stop.load()) {
                const std::int64_t at_least = published.load();
                shard.read(readers[static_cast<std::size_t>(number)], [&](const ShardSide& side) {
                    // Twice, with a pause between: a writer that does not wait is caught in the act.
                    const std::int64_t before = number_of(side);
                    if (found.looks % 16 == 0) {
                        std::this_thread::yield();
                    }
                    const std::int64_t after = number_of(side);
                    found.torn += before < 0 || before != after ? 1 : 0;
                    found.went_back += before < at_least || before < last ? 1 : 0;
                    last = before;
                });
                ++found.looks;
                found.looks_during_publish += publishing.load() ? 1 : 0;
            }
        });
    }
    // Until there was enough of both at the same time, on a slow machine too.
    for (std::int64_t value = 2; value < 200'000 && (value < 2'000 || found.looks_during_publish < 200); ++value) {
        write_state(shard, value);
        publishing = true;
        shard.publish();
        publishing = false;
        published = value;
    }
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(found.torn, 0u);
    EXPECT_EQ(found.went_back, 0u);
    EXPECT_GE(found.looks_during_publish, 200u) << "readers and writer never ran together";
    RecordProperty("looks", std::to_string(found.looks));
}

// The wait for readers, without chance: a reader stands in the old side while the writer publishes.
TEST(ShardLitmus, publish_waits_for_the_reader_of_the_old_side_and_later_readers_do_not) {
    ReaderSlots readers(2);
    Shard shard(0, readers);
    shard.write({.field = NodeDelta::Field::grow, .value = kBlocks});
    write_state(shard, 1);
    shard.publish();
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    std::atomic<bool> done{false};
    std::int64_t seen_inside = 0;
    std::thread reader([&] {
        shard.read(readers[0], [&](const ShardSide& side) {
            inside = true;
            while (!leave.load()) {
                std::this_thread::yield();
            }
            seen_inside = number_of(side);
        });
    });
    while (!inside.load()) {
        std::this_thread::yield();
    }
    std::thread writer([&] {
        write_state(shard, 2);
        shard.publish();
        done = true;
    });
    // A reader that comes now must see the new state although the old side is still looked at.
    std::int64_t seen_by_other = 0;
    while (seen_by_other != 2) {
        shard.read(readers[1], [&](const ShardSide& side) { seen_by_other = number_of(side); });
        std::this_thread::yield();
    }
    EXPECT_FALSE(done.load()) << "publish did not wait for the reader of the old side";
    leave = true;
    reader.join();
    writer.join();
    EXPECT_EQ(seen_inside, 1) << "the old side changed under its reader";
}

// The second look, without chance: the writer publishes, and starts on the next state, between a
// reader's first look at the active side and its announcement.
struct LateReader {
    Shard& shard;
    ReaderSlot& slot;
    bool flipped = false;

    void announce(std::uint32_t number, std::uint32_t side) {
        if (!flipped) {
            flipped = true;
            shard.publish();
            write_state(shard, 3);  // into the side that this reader is about to announce
        }
        slot.announce(number, side);
    }
    void leave() { slot.leave(); }
};

TEST(ShardLitmus, a_reader_that_announced_the_old_side_after_the_flip_moves_to_the_new_one) {
    ReaderSlots readers(1);
    Shard shard(0, readers);
    shard.write({.field = NodeDelta::Field::grow, .value = kBlocks});
    write_state(shard, 1);
    shard.publish();
    write_state(shard, 2);
    LateReader late{shard, readers[0]};
    std::int64_t seen = 0;
    shard.read(late, [&](const ShardSide& side) { seen = number_of(side); });
    EXPECT_EQ(seen, 2) << "read a side that the writer is at work on";
}

}  // namespace
}  // namespace bayplan
