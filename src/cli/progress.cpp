// See progress.h.
#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

constexpr std::int64_t kTerminalPeriodNs = 100'000'000;
constexpr std::int64_t kLogPeriodNs = 5'000'000'000;
constexpr std::uint64_t kBarWidth = 30;

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

bool Progress::due(std::int64_t now_ns) {
    if (quiet_ || now_ns < next_ns_) {
        return false;
    }
    const bool first = next_ns_ == 0;
    next_ns_ = now_ns + (terminal_ ? kTerminalPeriodNs : kLogPeriodNs);
    return terminal_ || !first;
}

void Progress::draw(std::uint64_t done, std::uint64_t total, const std::string& text) {
    if (quiet_) {
        return;
    }
    const std::uint64_t percent = total == 0 ? 100 : done * 100 / total;
    if (!terminal_) {
        fmt::print(stderr, "{:3}% {}\n", percent, text);
        return;
    }
    const std::uint64_t filled = total == 0 ? kBarWidth : done * kBarWidth / total;
    fmt::print(stderr, "\r[{}{}] {:3}% {}\x1b[K", std::string(filled, '#'), std::string(kBarWidth - filled, '.'),
               percent, text);
    std::fflush(stderr);
    open_ = true;
}

void Progress::finish() {
    if (open_) {
        fmt::print(stderr, "\n");
        open_ = false;
    }
}

void Progress::say(const std::string& text) {
    if (quiet_) {
        return;
    }
    fmt::print(stderr, "{}{}{}\n", open_ ? "\r" : "", text, open_ ? "\x1b[K" : "");
    open_ = false;
}

}  // namespace bayplan::cli
