// Writes a file on a thread of its own, in order, so that a slow disk does not stall the engine.
//
// Thread: all functions are called by one thread, the recorder's; the file is written by the thread that this object owns.
// Owner: its caller; the file descriptor stays the caller's and must outlive this object. Memory: kBuffersMax
// buffers of one size, made at the start and used again and again. Errors: the first failed write is kept as its errno,
// and later bytes are dropped, so that the file has no gap.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bayplan::recorder {

class WriteBehind {
public:
    using Buffer = std::vector<std::byte>;
    static constexpr std::size_t kBuffersMax = 64;

    // `on_thread` is called first on the new thread: it takes its role there.
    WriteBehind(int file, std::size_t buffer_bytes, std::function<void()> on_thread);
    // Writes all that was handed over.
    ~WriteBehind();
    WriteBehind(const WriteBehind&) = delete;
    WriteBehind& operator=(const WriteBehind&) = delete;

    // Takes the bytes, buffer_bytes at most, and leaves an empty buffer with room for as many. Waits while kBuffersMax are
    // under way, and counts that.
    void hand_over(Buffer&);

    // Until all is written.
    void wait_until_written();

    int error() const;                    // errno of the first failed write; 0: none so far
    std::uint64_t bytes_written() const;  // before that
    std::uint64_t waits() const;          // how often hand_over() had to wait

private:
    void run();
    void write_out(const Buffer&);

    int file_;
    const std::size_t buffer_bytes_;
    std::function<void()> on_thread_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::array<Buffer, kBuffersMax> ring_;
    std::size_t first_ = 0;      // of the ring, is being written
    std::size_t under_way_ = 0;  // from there on; the others are empty
    int error_ = 0;
    std::uint64_t bytes_written_ = 0;
    std::uint64_t waits_ = 0;
    bool ends_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace bayplan::recorder
