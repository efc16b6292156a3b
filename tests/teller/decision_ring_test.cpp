// The ring between engine and teller: what is written is read, whole, in order, once.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "teller/decision_ring.h"

namespace bayplan {
namespace {

// Of a length that depends on the number, so that records end everywhere in the ring.
std::string text_of(std::uint64_t number, std::size_t longest) {
    return std::string(number * 37 % (longest + 1), static_cast<char>('a' + number % 26));
}

bool write(DecisionRing& ring, std::uint64_t number, std::size_t longest = 60) {
    const std::string first = text_of(number, longest);
    const std::string last = text_of(number + 1, longest / 2);
    return ring.write({.kind = RecordKind::applied, .what = 7, .shim = 3, .numbers = {number, ~number, 5}},
                      {first, {}, last, "end"});
}

void expect(const Record& record, std::uint64_t number, std::size_t longest = 60) {
    ASSERT_EQ(record.head.numbers[0], number);
    EXPECT_EQ(record.head.numbers[1], ~number);
    EXPECT_EQ(record.head.kind, RecordKind::applied);
    EXPECT_EQ(record.head.what, 7);
    EXPECT_EQ(record.head.shim, 3u);
    EXPECT_EQ(record.texts[0], text_of(number, longest));
    EXPECT_EQ(record.texts[1], "");
    EXPECT_EQ(record.texts[2], text_of(number + 1, longest / 2));
    EXPECT_EQ(record.texts[3], "end");
}

TEST(DecisionRing, RecordsOfAllLengthsGoRoundItsEnd) {
    DecisionRing ring(1'024);
    EXPECT_EQ(ring.capacity(), 1'024u);
    std::uint64_t read = 0;
    for (std::uint64_t number = 0; number < 10'000; ++number) {
        ASSERT_TRUE(write(ring, number));
        if (number % 3 == 2) {
            EXPECT_EQ(ring.read(SIZE_MAX, [&](const Record& record) { expect(record, read++); }), 3u);
            EXPECT_TRUE(ring.all_read());
        }
    }
}

TEST(DecisionRing, AFullOneTakesNothingUntilSomethingIsRead) {
    DecisionRing ring(1'024);
    std::uint64_t written = 0;
    std::uint64_t read = 0;
    for (int round = 0; round < 1'000; ++round) {
        while (write(ring, written)) {
            ++written;
        }
        EXPECT_FALSE(write(ring, written));
        EXPECT_FALSE(ring.all_read());
        ASSERT_EQ(ring.read(1 + round % 3, [&](const Record& record) { expect(record, read++); }), 1u + round % 3);
    }
    ring.read(SIZE_MAX, [&](const Record& record) { expect(record, read++); });
    EXPECT_EQ(read, written);
    EXPECT_GT(written, 1'000u);
}

TEST(DecisionRing, TextsLargerThanTheRingGoThroughToo) {
    DecisionRing ring(1'024);
    std::uint64_t read = 0;
    for (std::uint64_t number = 0; number < 100; ++number) {
        ASSERT_TRUE(write(ring, number, 5'000));
        EXPECT_EQ(ring.read(SIZE_MAX, [&](const Record& record) { expect(record, read++, 5'000); }), 1u);
    }
    ASSERT_TRUE(write(ring, 1, 5'000));  // never read: its memory goes with the ring
}

TEST(DecisionRing, TwoThreadsLoseNothing) {
    DecisionRing ring(4'096);
    constexpr std::uint64_t kRecords = 20'000;
    std::thread reader([&] {
        std::uint64_t read = 0;
        while (read < kRecords && !::testing::Test::HasFailure()) {
            if (ring.read(16, [&](const Record& record) { expect(record, read++); }) == 0) {
                std::this_thread::yield();
            }
        }
    });
    for (std::uint64_t number = 0; number < kRecords; ++number) {
        while (!write(ring, number) && !HasFailure()) {
            std::this_thread::yield();
        }
    }
    reader.join();
    EXPECT_TRUE(ring.all_read());
}

}  // namespace
}  // namespace bayplan
