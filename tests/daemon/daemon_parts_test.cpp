// The small parts: waking, log lines, the status.
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/waker.h"
#include "daemon/allocator.h"
#include "daemon/inbox.h"
#include "daemon/log.h"
#include "daemon/memory_share.h"
#include "daemon/outbox.h"
#include "daemon/rest_service.h"
#include "daemon/shim_registry.h"
#include "daemon/status.h"
#include "state_frames.h"

namespace bayplan::daemon {
namespace {

// A lost wake-up shows as a wait that outlasts the test's own limit.
TEST(Waker, no_hand_over_is_slept_through) {
    constexpr std::uint32_t kItems = 20'000;
    constexpr std::int64_t kForEver = 3'600'000'000'000;
    Waker waker;
    std::atomic<std::uint32_t> made{0};
    std::atomic<std::uint32_t> taken{0};
    std::thread producer([&] {
        for (std::uint32_t i = 1; i <= kItems; ++i) {
            made.store(i, std::memory_order_release);
            waker.notify();
            while (i % 3 == 0 && taken.load(std::memory_order_acquire) < i) std::this_thread::yield();
        }
    });
    while (taken.load(std::memory_order_relaxed) < kItems) {
        const std::uint32_t epoch = waker.epoch();
        const std::uint32_t now = made.load(std::memory_order_acquire);
        if (now == taken.load(std::memory_order_relaxed)) waker.wait(epoch, kForEver);
        taken.store(now, std::memory_order_release);
    }
    producer.join();
    EXPECT_EQ(taken.load(), kItems);
}

std::string logged(config::LogFormat format, std::string_view message, LogFields fields) {
    config::LogConfig options;
    options.format = format;
    std::string text;
    Log log(options, [&](std::string_view line) { text = line; });
    log.debug("below the level");
    EXPECT_EQ(text, "");
    log.warning(message, fields);
    return text;
}

TEST(Log, text_is_key_value_and_a_peer_cannot_add_lines_or_fields) {
    const std::string line = logged(config::LogFormat::text, "shim refused",
                                    {{"shim", "a b"}, {"reason", "x\nlevel=error \"y\""}, {"count", 3}, {"empty", ""}});
    ASSERT_GT(line.size(), 25u);
    EXPECT_EQ(line.substr(23),
              "Z level=warning msg=\"shim refused\" shim=\"a b\" reason=\"x\\nlevel=error "
              "\\\"y\\\"\" count=3 empty=\"\"\n");
}

TEST(Log, journald_gets_a_priority_and_json_an_object) {
    EXPECT_EQ(logged(config::LogFormat::journald, "m", {{"k", "v"}}), "<4>level=warning msg=\"m\" k=v\n");
    const std::string json = logged(config::LogFormat::json, "m", {{"k", "v\x01"}, {"n", 5}});
    EXPECT_TRUE(json.starts_with("{\"time\":\"")) << json;
    EXPECT_TRUE(json.ends_with("Z\",\"level\":\"warning\",\"msg\":\"m\",\"k\":\"v\\u0001\",\"n\":5}\n")) << json;
}

TEST(Status, drops_are_summed_by_name_and_partitions_added_up) {
    Status status;
    status.state = "running";
    status.port = "kernel-udp";
    status.data_plane = {{"rx_packets", 7}, {"drop_fragment", 2}, {"drop_short", 3}};
    PartitionStatus one;
    one.name = "a";
    one.workers = 2;
    one.victim_workers = 3;
    one.engine.counters.placed = 10;
    one.engine.victim_cpus = {0, 3};
    one.engine.digest = "abc";
    status.partitions = {one};
    status.certificates = {1'900'000'000, 0, 1'800'000'000};
    status.cpus_allowed = 3;
    const std::string single = to_json(status);
    for (const char* part :
         {"\"state\":\"running\"", "\"port\":\"kernel-udp\"", "\"rx_packets\":7,\"tx_packets\":0", "\"dropped\":5",
          "\"drops\":{\"fragment\":2,\"short\":3}", "\"digest\":\"abc\"", "\"victim_workers\":3",
          "{\"certificate_expires_s\":1900000000,\"authority_expires_s\":0,\"revocations_due_s\":1800000000}",
          "\"victim_cpus\":[0,3]", "\"cpus_allowed\":3", "\"cpus\":{\"data_plane\":\"any\""}) {
        EXPECT_NE(single.find(part), std::string::npos) << part << " in " << single;
    }
    status.partitions.push_back(one);
    const std::string both = to_json(status);
    EXPECT_NE(both.find("\"workers\":4"), std::string::npos);
    EXPECT_NE(both.find("\"placed\":20"), std::string::npos);
    EXPECT_EQ(both.find("\"classes\":0,\"digest\""), std::string::npos) << "two digests are not one";
}

TEST(Status, cpu_seconds_are_those_of_all_threads_so_far) {
    const double before = cpu_seconds();
    std::thread([] {
        const std::clock_t start = std::clock();
        while (std::clock() - start < CLOCKS_PER_SEC / 20) {
        }
    }).join();
    EXPECT_GT(cpu_seconds(), before);
}

// A process that was replaced stays out while the other is there, and comes back when that has gone or much time has.
TEST(ShimRegistry, a_replaced_process_stays_out) {
    using std::chrono::minutes;
    daemon::ShimRegistry registry(1);
    const daemon::ShimRegistry::Clock::time_point start{};
    EXPECT_TRUE(registry.claim(0, "a", 0, 1, 100, start));
    EXPECT_TRUE(registry.claim(0, "a", 0, 2, 100, start)) << "the same process, from another address";
    EXPECT_TRUE(registry.claim(0, "a", 0, 3, 200, start));
    EXPECT_EQ(registry.take_replaced(0), (std::vector<ConnectionId>{1, 2}));
    EXPECT_FALSE(registry.claim(0, "a", 0, 4, 100, start + minutes(4)));
    EXPECT_TRUE(registry.claim(1, "a", 0, 5, 100, start)) << "another partition";
    EXPECT_TRUE(registry.take_replaced(0).empty());
    EXPECT_TRUE(registry.claim(0, "a", 0, 6, 100, start + minutes(5)));
    EXPECT_FALSE(registry.claim(0, "a", 0, 7, 200, start + minutes(6)));
    registry.release(0, "a", 6);
    EXPECT_TRUE(registry.claim(0, "a", 0, 8, 200, start + minutes(7))) << "the other has gone";
}

TEST(ShimRegistry, many_processes_of_one_name_are_not_all_remembered) {
    daemon::ShimRegistry registry(1);
    const std::uint64_t many = daemon::ShimRegistry::kReplacedKept + 2;
    for (std::uint64_t instance = 1; instance <= many; ++instance) {
        EXPECT_TRUE(registry.claim(0, "a", 0, instance, instance, {}));
    }
    EXPECT_FALSE(registry.claim(0, "a", 0, 100, 2, {}));
    EXPECT_TRUE(registry.claim(0, "a", 0, 101, 1, {})) << "too long ago";
}

TEST(Status, the_file_is_replaced_whole) {
    std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-status-XXXXXX").string();
    const std::filesystem::path folder = mkdtemp(pattern.data());
    const std::string file = (folder / "status.json").string();
    std::string error;
    for (const char* text : {"{\"first\":\"and longer\"}", "{}"}) {
        ASSERT_TRUE(replace_file(file, text, error)) << error;
        std::string line;
        std::getline(std::ifstream(file), line);
        EXPECT_EQ(line, text);
    }
    EXPECT_FALSE(replace_file((folder / "no" / "status.json").string(), "{}", error));
    EXPECT_NE(error.find("No such file or directory"), std::string::npos) << error;
    std::filesystem::remove_all(folder);
}

TEST(Memory, is_shared_by_the_partitions_that_do_not_say_how_much) {
    EXPECT_GT(memory_bytes(), std::uint64_t{256} << 20);
    std::vector<config::PartitionConfig> partitions(2);
    partitions[1].engine.bytes_max = std::uint64_t{1} << 30;
    partitions[1].engine.unacknowledged_bytes_max = 5u << 20;
    share_memory(std::uint64_t{64} << 30, partitions);
    EXPECT_EQ(partitions[0].engine.bytes_max, std::uint64_t{8} << 30);
    EXPECT_EQ(partitions[0].engine.unacknowledged_bytes_max, std::uint64_t{128} << 20);
    EXPECT_EQ(partitions[1].engine.bytes_max, std::uint64_t{1} << 30);
    EXPECT_EQ(partitions[1].engine.unacknowledged_bytes_max, 5u << 20);
    partitions.assign(1, {});
    share_memory(std::uint64_t{1} << 30, partitions);
    EXPECT_EQ(partitions[0].engine.unacknowledged_bytes_max, 16u << 20);
}

TEST(Inbox, counts_what_messages_are_when_they_are_read) {
    Inbox inbox(8, 1u << 20);
    std::vector<dataplane::Frame> frames = testing::ask_frames("a", 64, 1);
    dataplane::Frame frame = std::move(frames.front());
    const std::size_t size = frame.size();
    auto decoded = inbox.spare();
    std::string error;
    ASSERT_TRUE(decoded->decode(frame.bytes(), wire::Limits{}, error)) << error;
    EXPECT_GE(decoded->decoded_bytes(), 64 * sizeof(AskItem));
    ASSERT_TRUE(inbox.push(FrameItem{1, std::move(frame), std::move(decoded)}));
    EXPECT_GE(inbox.bytes(), size + 64 * sizeof(AskItem));
    InboxItem item;
    ASSERT_EQ(inbox.take(std::span(&item, 1)), 1u);
    inbox.done(item);
    EXPECT_EQ(inbox.bytes(), 0u);
}

// Arrays that messages are read into are used again, but of no more than 8 MiB in all, whichever lists grew.
TEST(Inbox, keeps_few_bytes_to_read_into) {
    constexpr std::size_t kFrames = 14;
    Inbox inbox(64, 1u << 30);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < kFrames; ++i) {
            std::vector<dataplane::Frame> frames = testing::ask_frames("a", 6'000, 1, 6'000);
            auto decoded = inbox.spare();
            std::string error;
            ASSERT_TRUE(decoded->decode(frames.front().bytes(), wire::Limits{}, error)) << error;
            EXPECT_GE(decoded->held_bytes(), 6'000 * sizeof(AskItem));
            ASSERT_TRUE(inbox.push(FrameItem{1, std::move(frames.front()), std::move(decoded)}));
        }
        EXPECT_EQ(inbox.spare_bytes(), 0u) << "all are in use";
        std::vector<InboxItem> items(kFrames);
        ASSERT_EQ(inbox.take(items), kFrames);
        for (InboxItem& item : items) inbox.done(item);
        EXPECT_GT(inbox.spare_bytes(), 4u << 20);
        EXPECT_LE(inbox.spare_bytes(), 8u << 20);
    }
}

// Half of the room that others leave, but one frame: a shim that is slow to be served keeps nobody out.
TEST(Inbox, is_never_filled_by_one_connection) {
    Inbox inbox(16, 1u << 20);
    const auto push = [&](const std::shared_ptr<InboxShare>& share) {
        std::vector<dataplane::Frame> frames = testing::ask_frames("a", 1, 1);
        auto decoded = inbox.spare();
        std::string error;
        EXPECT_TRUE(decoded->decode(frames.front().bytes(), wire::Limits{}, error)) << error;
        if (!inbox.has_room(frames.front().size(), *share)) return false;
        return inbox.push(FrameItem{1, std::move(frames.front()), std::move(decoded), {}, share});
    };
    const auto bad = std::make_shared<InboxShare>();
    const auto honest = std::make_shared<InboxShare>();
    const auto late = std::make_shared<InboxShare>();
    const auto fill = [&](const std::shared_ptr<InboxShare>& share) {
        int frames = 0;
        while (frames < 100 && push(share)) ++frames;
        return frames;
    };
    EXPECT_EQ(fill(bad), 8);
    EXPECT_EQ(fill(honest), 4);
    EXPECT_EQ(fill(late), 2);
    EXPECT_EQ(inbox.depth(), 14u);
    // Its place counts until the frame is done, not until it is taken.
    std::vector<InboxItem> items(8);
    ASSERT_EQ(inbox.take(items), 8u);
    EXPECT_EQ(fill(bad), 0);
    for (InboxItem& item : items) inbox.done(item);
    EXPECT_EQ(bad->frames.load(), 0u);
    EXPECT_EQ(bad->bytes.load(), 0u);
    EXPECT_EQ(fill(bad), 5);
    // However much it is, one frame has room where nothing of its connection waits.
    Inbox small(16, 1'000);
    const InboxShare nothing;
    EXPECT_TRUE(small.has_room(1'000, nothing));
    EXPECT_FALSE(small.has_room(1'001, nothing));
}

TEST(RestService, shows_each_partition_by_its_name_and_a_checksum_only_of_one_text) {
    const std::string blue = "partitions: [{name: Blue, queues: [{name: quay}]}, {name: red, queues: []}]\n";
    std::vector<config::PartitionConfig> partitions(3);
    partitions[0].name = "blue";
    partitions[1].name = "green";
    partitions[2].name = "alone";
    partitions[0].queues_file = "a.yaml";
    partitions[2].queues_file = "b.yaml";
    const auto shown = shown_config(partitions, {blue, "", "partitions: [{queues: [{name: wharf}]}]\n"});
    ASSERT_EQ(shown->config.partitions.size(), 3u);
    EXPECT_EQ(shown->config.partitions[0].name.text, "Blue") << "as it was written";
    EXPECT_EQ(shown->config.partitions[0].root().queues->front().name.text, "quay");
    EXPECT_EQ(shown->config.partitions[1].name.text, "green");
    EXPECT_EQ(shown->config.partitions[1].root().submit_acl.text, "*");
    EXPECT_EQ(shown->config.partitions[2].name.text, "alone") << "the only one of its file";
    EXPECT_EQ(shown->checksum, "");
    EXPECT_EQ(shown_config(partitions, {blue, "", blue})->checksum.size(), 64u);
}

TEST(Allocator, is_jemalloc_unless_a_sanitizer_watches) {
#ifdef BAYPLAN_JEMALLOC
    EXPECT_TRUE(allocator_name().starts_with("jemalloc 5.")) << allocator_name();
#else
    EXPECT_EQ(allocator_name(), "the C library's");
#endif
    EXPECT_GT(resident_bytes(), 1u << 20);
}

}  // namespace
}  // namespace bayplan::daemon
