// The store of events: ids, both bounds, slices, streams that wait; against a list that forgets nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "events/event_store.h"

namespace bayplan::events {
namespace {

// The texts tell the number, so that a mixed-up event shows.
struct Kept {
    std::string object, reference, message, amounts;
    Event event() const {
        return {EventType::node, EventChange::add, EventDetail::node_alloc, 7, object, reference, message, amounts};
    }
};

Kept numbered(std::uint64_t number, std::size_t size = 20) {
    const std::string text = std::to_string(number);
    return {"object " + text, "reference " + text, std::string(size, static_cast<char>('a' + number % 26)), text};
}

void expect_same(const Event& event, const Kept& kept) {
    EXPECT_EQ(event.object, kept.object);
    EXPECT_EQ(event.reference, kept.reference);
    EXPECT_EQ(event.message, kept.message);
    EXPECT_EQ(event.amounts, kept.amounts);
    EXPECT_EQ(event.type, EventType::node);
    EXPECT_EQ(event.change, EventChange::add);
    EXPECT_EQ(event.detail, EventDetail::node_alloc);
    EXPECT_EQ(event.time_ns, 7);
}

TEST(EventStore, is_empty_at_first) {
    EventStore store;
    const EventSlice slice = store.read(0, 10, 1'000);
    EXPECT_EQ(slice.size(), 0u);
    EXPECT_EQ(slice.lowest, 0u);
    EXPECT_EQ(slice.highest, 0u);
    EXPECT_FALSE(slice.overtaken);
    EXPECT_EQ(store.id_before_end(5), 0u);
}

TEST(EventStore, has_an_instance_of_its_own) {
    const EventStore one, other;
    EXPECT_EQ(one.instance().size(), 36u);
    EXPECT_EQ(one.instance()[14], '4');  // of random bits
    EXPECT_NE(one.instance(), other.instance());
}

TEST(EventStore, keeps_the_newest_events_by_number) {
    EventStore store({.events = 10, .bytes = 1 << 20});
    for (std::uint64_t id = 0; id < 25; ++id) {
        store.append(numbered(id).event());
    }
    EXPECT_TRUE(store.read(14, 10, 1 << 20).overtaken);
    EXPECT_EQ(store.read(14, 10, 1 << 20).size(), 0u);
    const EventSlice slice = store.read(15, 100, 1 << 20);
    EXPECT_EQ(slice.lowest, 15u);
    EXPECT_EQ(slice.highest, 24u);
    EXPECT_EQ(slice.next, 25u);
    ASSERT_EQ(slice.size(), 10u);
    for (std::size_t at = 0; at < 10; ++at) {
        expect_same(slice[at], numbered(15 + at));
    }
    EXPECT_EQ(store.read(25, 10, 1'000).size(), 0u);
    EXPECT_EQ(store.id_before_end(3), 22u);
    EXPECT_EQ(store.id_before_end(1'000), 15u);
}

TEST(EventStore, keeps_what_fits_into_its_bytes) {
    constexpr std::size_t kBytes = 8'192;
    std::mt19937 random(11);
    EventStore store({.events = 1'000, .bytes = kBytes});
    std::vector<Kept> all;
    for (std::uint64_t id = 0; id < 3'000; ++id) {
        all.push_back(numbered(id, random() % (id % 100 == 0 ? 1'500 : 200)));
        store.append(all.back().event());
        const EventSlice slice = store.read(store.id_before_end(UINT64_MAX), SIZE_MAX, SIZE_MAX);
        ASSERT_EQ(slice.highest, id);
        ASSERT_EQ(slice.size(), slice.highest - slice.lowest + 1);
        std::size_t bytes = 0;
        for (std::size_t at = 0; at < slice.size(); ++at) {
            const Kept& kept = all[slice.lowest + at];
            bytes += kept.object.size() + kept.reference.size() + kept.message.size() + kept.amounts.size();
            expect_same(slice[at], kept);
        }
        ASSERT_LE(bytes, kBytes);
        ASSERT_TRUE(slice.lowest == 0 || bytes > kBytes / 4) << bytes;
    }
    EXPECT_EQ(store.counters().stored, 3'000u);
}

TEST(EventStore, counts_an_event_that_is_too_large) {
    EventStore store({.events = 100, .bytes = 4'096});
    store.append(numbered(0).event());
    store.append(numbered(1, 2'000).event());
    store.append(numbered(1).event());
    EXPECT_EQ(store.counters().created, 3u);
    EXPECT_EQ(store.counters().stored, 2u);
    const EventSlice slice = store.read(0, 10, 10'000);
    ASSERT_EQ(slice.size(), 2u);
    expect_same(slice[1], numbered(1));
}

TEST(EventStore, gives_slices_of_a_size) {
    EventStore store;
    for (std::uint64_t id = 0; id < 100; ++id) {
        store.append(numbered(id).event());
    }
    EXPECT_EQ(store.read(0, 7, SIZE_MAX).size(), 7u);
    EXPECT_EQ(store.read(0, 7, SIZE_MAX).next, 7u);
    EXPECT_EQ(store.read(0, 100, 1).size(), 1u);
    const EventSlice some = store.read(0, 100, 1'000);
    EXPECT_GT(some.size(), 5u);
    EXPECT_LT(some.size(), 50u);
    EXPECT_EQ(some.next, some.size());
}

TEST(EventStore, tells_of_a_gap) {
    EventStore store;
    store.append_gap(5, "default");
    const EventSlice slice = store.read(0, 1, 1'000);
    ASSERT_EQ(slice.size(), 1u);
    EXPECT_EQ(slice[0].type, EventType::unknown);
    EXPECT_EQ(slice[0].object, "default");
    EXPECT_FALSE(slice[0].message.empty());
    EXPECT_EQ(store.counters().gaps, 1u);
}

TEST(EventStore, wakes_a_stream_that_waits_once) {
    EventStore store;
    int woken = 0;
    const std::uint64_t stream = store.add_stream([&] { ++woken; });
    store.append(numbered(0).event());
    store.wake_waiting();
    EXPECT_EQ(woken, 0);  // it has not read yet
    EXPECT_EQ(store.read(0, 10, 1'000, stream).size(), 1u);
    store.append(numbered(1).event());
    store.wake_waiting();
    store.wake_waiting();
    EXPECT_EQ(woken, 1);
    store.append(numbered(2).event());
    EXPECT_EQ(store.read(1, 1, 1'000, stream).size(), 1u);
    store.wake_waiting();
    EXPECT_EQ(woken, 1);  // there is more that it may read
    EXPECT_EQ(store.read(2, 1, 1'000, stream).size(), 1u);
    store.remove_stream(stream);
    store.wake_waiting();
    EXPECT_EQ(woken, 1);
}

TEST(EventStore, is_read_while_it_is_written) {
    constexpr std::uint64_t kEvents = 200'000;
    EventStore store({.events = 500, .bytes = 32'768});
    std::atomic<bool> woken{false};
    std::atomic<bool> finished{false};
    const std::uint64_t stream = store.add_stream([&] { woken = true; });
    std::thread writer([&] {
        for (std::uint64_t id = 0; id < kEvents; ++id) {
            store.append(numbered(id, id % 90).event());
            if (id % 16 == 15) {
                store.wake_waiting();
            }
        }
        store.wake_waiting();
        finished = true;
    });
    std::uint64_t next = 0;
    std::uint64_t read = 0;
    while (next < kEvents) {
        woken = false;
        const EventSlice slice = store.read(next, 100, 10'000, stream);
        for (std::size_t at = 0; at < slice.size(); ++at) {
            expect_same(slice[at], numbered(next + at, (next + at) % 90));
        }
        read += slice.size();
        next = slice.overtaken ? slice.lowest : slice.next;
        while (slice.size() == 0 && !slice.overtaken && !woken && !finished) {
            std::this_thread::yield();
        }
    }
    writer.join();
    store.remove_stream(stream);
    EXPECT_GT(read, 0u);
    EXPECT_EQ(store.counters().created, kEvents);
}

}  // namespace
}  // namespace bayplan::events
