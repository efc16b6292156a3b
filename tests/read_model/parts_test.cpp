// The parts of the read model by themselves: tables that versions share, a feed that is full, the thread and its readers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "../engine/harness.h"
#include "engine/engine.h"
#include "read_model/read_model.h"

namespace bayplan::read_model {
namespace {

struct Number {
    int number = 0;
    bool in_use() const { return number != 0; }
};

TEST(Chunks, a_version_keeps_its_entries_and_a_chunk_is_copied_once_per_version) {
    Chunks<Number> numbers;
    numbers.edit(3).number = 30;
    numbers.edit(300).number = 31;
    const ChunkView<Number> first = numbers.freeze();
    numbers.edit(3).number = 40;
    numbers.edit(4).number = 41;
    EXPECT_EQ(numbers.copied(), 1u);
    const ChunkView<Number> second = numbers.freeze();
    numbers.edit(3).number = 50;
    EXPECT_EQ(numbers.copied(), 2u);
    EXPECT_EQ(first.find(3)->number, 30);
    EXPECT_EQ(first.find(4)->number, 0);
    EXPECT_EQ(first.find(300), second.find(300));  // nobody changed its chunk
    EXPECT_EQ(second.find(3)->number, 40);
    EXPECT_EQ(numbers.find(3)->number, 50);
    EXPECT_EQ(first.find(1'000'000), nullptr);
}

TEST(PackedTexts, keep_all_texts_through_changes_and_give_memory_back) {
    PackedTexts texts;
    std::map<std::uint32_t, std::string> expected;
    for (std::uint32_t turn = 0; turn < 20'000; ++turn) {
        const std::uint32_t id = turn * 7 % 600;
        expected[id] = turn % 3 == 0 ? "" : std::string(turn % 90, static_cast<char>('a' + turn % 26));
        texts.set(id, expected[id]);
    }
    const PackedView view = texts.freeze();
    std::size_t bytes = 0;
    for (const auto& [id, text] : expected) {
        ASSERT_EQ(view.text(id), text);
        bytes += text.size();
    }
    EXPECT_LT(view.bytes(), 4 * bytes + 3 * sizeof(PackedChunk) + 1'000);
    texts.set(1, "another");
    EXPECT_EQ(view.text(1), expected[1]);
}

TEST(SharedTexts, have_each_text_once_until_nobody_uses_it) {
    SharedTexts texts;
    const std::uint32_t zone = texts.acquire("zone");
    EXPECT_EQ(texts.acquire("zone"), zone);
    EXPECT_EQ(texts.acquire(""), 0u);
    const TextView view = texts.freeze();
    texts.release(zone);
    texts.release(zone);
    EXPECT_EQ(texts.size(), 0u);
    EXPECT_EQ(texts.acquire("rack"), zone);  // the number is free for another
    EXPECT_EQ(view.text(zone), "zone");
    EXPECT_EQ(texts.text(zone), "rack");
}

TEST(ChangeFeed, loses_nothing_in_silence_and_begins_again_when_it_is_asked) {
    ChangeFeed feed(1'024, 4);
    std::uint64_t read = 0;
    const auto take = [&] {
        return feed.read(SIZE_MAX, [&](const Change& change) {
            EXPECT_TRUE(change.head.kind == ChangeKind::shim || change.head.kind == ChangeKind::snapshot_begin);
            ++read;
        });
    };
    while (!feed.lost()) {
        feed.write({.kind = ChangeKind::shim}, {"name"});
    }
    const std::uint64_t written = feed.written();
    EXPECT_EQ(feed.losses(), 1u);
    EXPECT_EQ(take(), written);
    feed.write({.kind = ChangeKind::shim}, {"name"});  // there is room, but what came before is missing
    EXPECT_EQ(feed.written(), written);
    EXPECT_FALSE(feed.begin_again(0));  // nobody has asked
    feed.ask_for_snapshot_if_lost();
    EXPECT_TRUE(feed.begin_again(0));
    EXPECT_FALSE(feed.begin_again(0));
    feed.write({.kind = ChangeKind::shim}, {"name"});
    EXPECT_EQ(take(), 2u);
    EXPECT_EQ(feed.written(), written + 2);
    EXPECT_FALSE(feed.is_stale());
}

TEST(ChangeFeed, settings_of_records_that_were_lost_are_not_taken_for_others) {
    ChangeFeed feed(1'024, 8);
    const auto queue = [](const char* path) {
        auto made = std::make_shared<queue_tree::Queue>();
        made->path = path;
        return QueueFacts(std::move(made));
    };
    while (!feed.lost()) {  // the ring is full before the settings are
        feed.write({.kind = ChangeKind::shim}, {"a name of some length, so that a record like the next does not fit"});
        feed.write({.kind = ChangeKind::queue}, queue("lost or not"));
        feed.read(feed.lost() ? 0 : 1, [&](const Change& change) {
            if (change.head.kind == ChangeKind::queue) {
                feed.take_settings(change);
            }
        });
    }
    feed.read(SIZE_MAX, [&](const Change& change) {
        if (change.head.kind == ChangeKind::queue) {
            feed.take_settings(change);
        }
    });
    feed.ask_for_snapshot_if_lost();
    ASSERT_TRUE(feed.begin_again(0));
    feed.write({.kind = ChangeKind::queue}, queue("root"));
    std::vector<std::string> paths;
    feed.read(SIZE_MAX, [&](const Change& change) {
        if (change.head.kind == ChangeKind::queue) {
            paths.push_back(std::get<QueueFacts>(feed.take_settings(change))->path);
        }
    });
    EXPECT_EQ(paths, std::vector<std::string>{"root"});
}

// --- the thread

EngineOptions inline_options() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    return options;
}

// All that must hold within one version.
void expect_sound(const Version& version) {
    std::uint32_t pods = 0;
    std::uint32_t placed = 0;
    version.pods.for_each([&](std::uint32_t id, const Pod& pod) {
        ++pods;
        placed += pod.state == PodState::allocated ? 1 : 0;
        EXPECT_FALSE(version.keys.text(id).empty());
        EXPECT_FALSE(version.shape(pod).requests.empty());
    });
    std::uint32_t on_nodes = 0;
    std::uint32_t nodes = 0;
    version.nodes.for_each([&](std::uint32_t id, const Node&) {
        ++nodes;
        on_nodes += static_cast<std::uint32_t>(version.pods_on(id).size());
    });
    EXPECT_EQ(pods, version.pod_count);
    EXPECT_EQ(nodes, version.node_count);
    EXPECT_EQ(on_nodes, placed);
}

void run_beside_readers(std::size_t ring_bytes) {
    constexpr int kPods = 3'000;
    testing::KeepingSink sink;
    ChangeFeed feed(ring_bytes);
    Engine engine(inline_options(), sink);
    engine.publish_to(feed);
    ReadModel model(feed);
    std::atomic<bool> stop{false};
    std::vector<std::thread> readers;
    for (int reader = 0; reader < 2; ++reader) {
        readers.emplace_back([&] {
            std::uint64_t last = 0;
            std::vector<VersionPtr> held;
            while (!stop.load()) {
                const VersionPtr version = model.fresh(std::chrono::milliseconds(5));
                if (version == nullptr) {
                    continue;
                }
                EXPECT_GE(version->number, last);
                last = version->number;
                expect_sound(*version);
                held.push_back(version);
                expect_sound(*held[held.size() / 2]);
            }
        });
    }
    testing::TestShim shim(engine, "shim");
    for (int node = 0; node < 40; ++node) {
        shim.node("node-" + std::to_string(node), {{"cpu", 100'000}, {"pods", 500}});
    }
    shim.application("app");
    for (int pod = 0; pod < kPods; ++pod) {
        shim.ask("pod-" + std::to_string(pod), "app", {{"cpu", 10}, {"pods", 1}});
        if (pod % 50 == 49) {
            engine.run(1'000);
            shim.release("pod-" + std::to_string(pod - 20));
        }
    }
    engine.run(1'000'000);
    // The end of a snapshot comes with turns.
    VersionPtr last;
    for (int turn = 0; turn < 10'000; ++turn) {
        engine.publish();
        const ReadModelStatus status = model.status();
        last = model.fresh(std::chrono::milliseconds(20));
        if (last != nullptr && !status.stale && last->changes >= feed.written()) {
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    stop.store(true);
    for (std::thread& reader : readers) {
        reader.join();
    }
    ASSERT_NE(last, nullptr);
    expect_sound(*last);
    EXPECT_EQ(last->pod_count, static_cast<std::uint32_t>(kPods - kPods / 50));
    EXPECT_EQ(last->node_count, 40u);
    EXPECT_EQ(last->applications.find(0)->placed, last->pod_count);
    const ReadModelStatus status = model.status();
    EXPECT_EQ(status.records_behind, 0u);
    EXPECT_FALSE(status.stale);
    EXPECT_EQ(status.losses > 0, status.snapshots > 1);
}

TEST(ReadModelThread, readers_hold_versions_while_new_ones_come) { run_beside_readers(1u << 20); }

TEST(ReadModelThread, readers_get_whole_versions_though_the_ring_is_small) { run_beside_readers(4'096); }

// It would wait for an hour.
TEST(ReadModelThread, a_reader_does_not_wait_for_a_snapshot) {
    testing::KeepingSink sink;
    ChangeFeed feed(4'096);
    Engine engine(inline_options(), sink);
    engine.publish_to(feed);
    ReadModel model(feed);
    testing::TestShim shim(engine, "shim");
    shim.application("app");
    const VersionPtr before = model.fresh(std::chrono::hours(1));
    ASSERT_NE(before, nullptr);
    // More than the ring holds, in one input; no turn comes after it that could go on with the snapshot.
    std::vector<std::string> keys;
    for (int number = 0; number < 2'000; ++number) {
        keys.push_back("a-pod-with-a-name-of-its-own-" + std::to_string(number));
    }
    std::vector<AskItem> asks(keys.size());
    for (std::size_t at = 0; at < asks.size(); ++at) {
        asks[at].key = keys[at];
        asks[at].application = shim.id("app");
    }
    shim.send(AsksMessage{asks});
    EXPECT_EQ(model.fresh(std::chrono::hours(1)), before);
    EXPECT_GT(model.status().losses, 0u);
    EXPECT_TRUE(model.status().stale);
}

TEST(ReadModelThread, nobody_asks_and_no_versions_are_made) {
    testing::KeepingSink sink;
    ChangeFeed feed;
    Engine engine(inline_options(), sink);
    engine.publish_to(feed);
    ReadModel model(feed);
    ASSERT_NE(model.fresh(std::chrono::seconds(20)), nullptr);
    testing::TestShim shim(engine, "shim");
    const std::uint64_t before = model.status().versions;
    shim.node("node", {{"cpu", 1}});
    // The thread has taken it in: a version made now has it. It makes that one alone.
    const VersionPtr version = model.fresh(std::chrono::seconds(20));
    EXPECT_EQ(version->node_count, 1u);
    EXPECT_LE(version->number, before + 1);
}

}  // namespace
}  // namespace bayplan::read_model
