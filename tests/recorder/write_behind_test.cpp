// A file that is slow: a pipe that nobody reads yet.
#include <array>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "recorder/write_behind.h"

namespace bayplan::recorder {
namespace {

struct Pipe {
    Pipe() { EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0); }
    ~Pipe() {
        for (const int end : ends) close(end);
    }

    std::string read_all(std::size_t bytes) const {
        std::string all;
        std::array<char, 65536> part{};
        while (all.size() < bytes) {
            const ssize_t got = read(ends[0], part.data(), part.size());
            if (got <= 0) break;
            all.append(part.data(), static_cast<std::size_t>(got));
        }
        return all;
    }

    std::array<int, 2> ends{};
};

WriteBehind::Buffer buffer_of(char letter, std::size_t bytes) { return {bytes, static_cast<std::byte>(letter)}; }

TEST(WriteBehind, buffers_are_taken_while_nobody_reads_and_come_out_in_order) {
    const Pipe pipe;
    constexpr std::size_t kBytes = 128 * 1024;  // more than the pipe holds
    WriteBehind behind(pipe.ends[1], kBytes, {});
    std::string expected;
    for (std::size_t i = 0; i < WriteBehind::kBuffersMax; ++i) {
        const char letter = static_cast<char>('a' + i % 26);
        WriteBehind::Buffer buffer = buffer_of(letter, kBytes);
        expected.append(kBytes, letter);
        behind.hand_over(buffer);
        EXPECT_TRUE(buffer.empty());
        EXPECT_GE(buffer.capacity(), kBytes) << "the next one is as large";
    }
    EXPECT_EQ(behind.waits(), 0u);
    EXPECT_EQ(pipe.read_all(expected.size()), expected);
    behind.wait_until_written();
    EXPECT_EQ(behind.bytes_written(), expected.size());
}

TEST(WriteBehind, one_buffer_too_many_waits_for_the_disk_and_is_counted) {
    const Pipe pipe;
    constexpr std::size_t kBytes = 128 * 1024;
    constexpr std::size_t kBuffers = WriteBehind::kBuffersMax + 1;
    WriteBehind behind(pipe.ends[1], kBytes, {});
    std::thread reader([&] {
        while (behind.waits() == 0) std::this_thread::yield();
        EXPECT_EQ(pipe.read_all(kBuffers * kBytes).size(), kBuffers * kBytes);
    });
    for (std::size_t i = 0; i < kBuffers; ++i) {
        WriteBehind::Buffer buffer = buffer_of('x', kBytes);
        behind.hand_over(buffer);
    }
    reader.join();
    EXPECT_EQ(behind.waits(), 1u);
}

TEST(WriteBehind, what_follows_a_failed_write_is_dropped) {
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    {
        WriteBehind behind(full, 100, {});
        for (int i = 0; i < 3; ++i) {
            WriteBehind::Buffer buffer = buffer_of('x', 100);
            behind.hand_over(buffer);
        }
        behind.wait_until_written();
        EXPECT_EQ(behind.error(), ENOSPC);
        EXPECT_EQ(behind.bytes_written(), 0u);
    }
    close(full);
}

TEST(WriteBehind, the_thread_says_where_it_runs_before_it_writes) {
    const Pipe pipe;
    std::thread::id writes;
    {
        WriteBehind behind(pipe.ends[1], 10, [&] { writes = std::this_thread::get_id(); });
        WriteBehind::Buffer buffer = buffer_of('x', 10);
        behind.hand_over(buffer);
    }
    EXPECT_NE(writes, std::thread::id());
    EXPECT_NE(writes, std::this_thread::get_id());
    EXPECT_EQ(pipe.read_all(10), std::string(10, 'x')) << "the end writes what was handed over";
}

}  // namespace
}  // namespace bayplan::recorder
