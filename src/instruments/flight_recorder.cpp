// Rings, and their text.
//
// Thread: see the header.
#include "instruments/flight_recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/check.h"

namespace bayplan::instruments {
namespace {

std::uint64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

bool write_all(int file, const char* text, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(file, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

// Lines gathered on the stack: a write for each would take seconds.
class Lines {
public:
    explicit Lines(int file) : file_(file) {}
    bool add(std::uint64_t ago_ns, const FlightWords& words, std::uint64_t first, std::uint64_t second) {
        if (sizeof text_ - used_ < kLongest && !flush()) return false;
        const int size = std::snprintf(text_ + used_, kLongest, "-%llu.%06llu %s", at(ago_ns / 1'000'000'000),
                                       at(ago_ns / 1'000 % 1'000'000), words.kind.data());
        used_ += static_cast<std::size_t>(size);
        add_number(words.first, first);
        add_number(words.second, second);
        text_[used_++] = '\n';
        return true;
    }
    bool flush() { return write_all(file_, text_, std::exchange(used_, 0)); }

private:
    static constexpr std::size_t kLongest = 160;
    static unsigned long long at(std::uint64_t number) { return number; }
    void add_number(std::string_view name, std::uint64_t value) {
        if (name.empty()) return;
        const int size = std::snprintf(text_ + used_, kLongest / 3, " %s=%llu", name.data(), at(value));
        used_ += static_cast<std::size_t>(size);
    }

    const int file_;
    char text_[16'384];
    std::size_t used_ = 0;
};

// Needs of the handler of fatal signals; of plain types, for it runs anywhere.
const FlightRecorder* watched = nullptr;
char watched_path[PATH_MAX];
constexpr int kFatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};

// The handler was for once: the signal comes again, and ends the process as it would have.
void on_fatal(int signal) {
    if (const FlightRecorder* const recorder = std::exchange(watched, nullptr)) {
        const int file = open(watched_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file >= 0) {
            recorder->dump(file);
            close(file);
        }
    }
    raise(signal);
}

}  // namespace

FlightRing::FlightRing(std::string name, std::size_t records)
    : name_(std::move(name)), mask_(records - 1), records_(std::make_unique<Record[]>(records)) {
    BP_CHECK_OP(records & mask_, ==, 0u);
}

void FlightRing::note(FlightKind kind, std::uint64_t first, std::uint64_t second) {
    const std::uint64_t number = next_.load(std::memory_order_relaxed);
    Record& record = records_[number & mask_];
    // A reader that sees a word of this record sees that the one before in its place was at its end.
    std::atomic_thread_fence(std::memory_order_release);
    record.at_ns.store(now_ns(), std::memory_order_relaxed);
    record.kind.store(static_cast<std::uint64_t>(kind), std::memory_order_relaxed);
    record.first.store(first, std::memory_order_relaxed);
    record.second.store(second, std::memory_order_relaxed);
    next_.store(number + 1, std::memory_order_release);
}

bool FlightRing::dump(int file, std::uint64_t now) const {
    const auto load = [](const std::atomic<std::uint64_t>& value) { return value.load(std::memory_order_relaxed); };
    const std::uint64_t end = next_.load(std::memory_order_acquire);
    if (!write_all(file, "# ", 2) || !write_all(file, name_.data(), name_.size()) || !write_all(file, "\n", 1))
        return false;
    Lines lines(file);
    for (std::uint64_t number = end > mask_ ? end - mask_ : 0; number < end; ++number) {
        const Record& record = records_[number & mask_];
        const std::uint64_t at = load(record.at_ns), kind = load(record.kind);
        const std::uint64_t first = load(record.first), second = load(record.second);
        std::atomic_thread_fence(std::memory_order_acquire);
        // Its place is written again by the record that comes a round later, which may have begun.
        if (next_.load(std::memory_order_relaxed) >= number + mask_ + 1) continue;
        if (kind >= kFlightWords.size()) continue;
        if (!lines.add(now > at ? now - at : 0, kFlightWords[kind], first, second)) return false;
    }
    return lines.flush();
}

FlightRing& FlightRecorder::make_ring(std::string name, std::size_t records) {
    return *rings_.emplace_back(std::make_unique<FlightRing>(std::move(name), records));
}

bool FlightRecorder::dump(int file) const {
    const std::uint64_t now = now_ns();
    return std::all_of(rings_.begin(), rings_.end(), [&](const auto& ring) { return ring->dump(file, now); });
}

bool FlightRecorder::dump_to(const std::string& path, std::string& error) const {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written = file >= 0 && dump(file);
    if (!written) error = path + " cannot be written: " + std::strerror(errno);
    if (file >= 0) close(file);
    return written;
}

void FlightRecorder::dump_when_killed(const std::string& path) {
    watches_ = !path.empty() && path.size() < sizeof watched_path;
    watched = nullptr;
    if (watches_) std::memcpy(watched_path, path.c_str(), path.size() + 1);
    struct sigaction action {};
    action.sa_handler = watches_ ? on_fatal : SIG_DFL;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : kFatal) sigaction(signal, &action, nullptr);
    if (watches_) watched = this;
}

FlightRecorder::~FlightRecorder() {
    if (watches_) dump_when_killed({});
}

}  // namespace bayplan::instruments
