// The queue of buffers and the thread that empties it; see write_behind.h.
#include "recorder/write_behind.h"

#include <cerrno>
#include <utility>

#include <unistd.h>

#include "base/check.h"

namespace bayplan::recorder {

WriteBehind::WriteBehind(int file, std::size_t buffer_bytes, std::function<void()> on_thread)
    : file_(file), buffer_bytes_(buffer_bytes), on_thread_(std::move(on_thread)) {
    for (Buffer& buffer : ring_) {
        buffer.reserve(buffer_bytes);
    }
    thread_ = std::thread([this] { run(); });
}

WriteBehind::~WriteBehind() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void WriteBehind::hand_over(Buffer& buffer) {
    if (buffer.empty()) {
        return;
    }
    BP_CHECK_OP(buffer.size(), <=, buffer_bytes_);
    std::unique_lock lock(mutex_);
    if (under_way_ == kBuffersMax) {
        ++waits_;
        changed_.wait(lock, [this] { return under_way_ < kBuffersMax; });
    }
    ring_[(first_ + under_way_) % kBuffersMax].swap(buffer);
    ++under_way_;
    lock.unlock();
    changed_.notify_all();
}

void WriteBehind::wait_until_written() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return under_way_ == 0; });
}

int WriteBehind::error() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

std::uint64_t WriteBehind::bytes_written() const {
    const std::lock_guard lock(mutex_);
    return bytes_written_;
}

std::uint64_t WriteBehind::waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
}

void WriteBehind::run() {
    if (on_thread_) {
        on_thread_();
    }
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return ends_ || under_way_ > 0; });
        if (under_way_ == 0) {
            return;
        }
        Buffer& buffer = ring_[first_];
        lock.unlock();
        write_out(buffer);
        buffer.clear();
        lock.lock();
        first_ = (first_ + 1) % kBuffersMax;
        --under_way_;
        changed_.notify_all();
    }
}

void WriteBehind::write_out(const Buffer& buffer) {
    std::size_t done = 0;
    while (done < buffer.size() && error() == 0) {
        const ssize_t written = ::write(file_, buffer.data() + done, buffer.size() - done);
        const int failed = written < 0 ? errno : 0;
        if (failed == EINTR) {
            continue;
        }
        const std::lock_guard lock(mutex_);
        error_ = failed;
        if (failed == 0) {
            done += static_cast<std::size_t>(written);
            bytes_written_ += static_cast<std::uint64_t>(written);
        }
    }
}

}  // namespace bayplan::recorder
