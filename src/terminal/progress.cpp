// See progress.h.
#include "terminal/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "terminal/text.h"

namespace bayplan::terminal {

namespace {

constexpr std::int64_t kPeriodNs = 100'000'000;
constexpr std::int64_t kRateAfterNs = 1'000'000'000;  // before that a rate says nothing
constexpr std::uint64_t kBarWidth = 20;
constexpr std::size_t kBarFrom = 60;  // columns; narrower lines have no bar
constexpr std::size_t kColumnsUnknown = 80;

std::string per_second(double rate, std::string_view unit) {
    const bool bytes = unit == "B";
    if (bytes && rate >= 1e6) return fmt::format("{:.0f} MB/s", rate / 1e6);
    if (bytes) return fmt::format("{:.0f} kB/s", rate / 1e3);
    return rate >= 1e5 ? fmt::format("{:.0f}k {}/s", rate / 1e3, unit) : fmt::format("{:.0f} {}/s", rate, unit);
}

std::string seconds(double left) {
    const auto whole = static_cast<std::int64_t>(left + 0.999);
    if (whole < 120) return fmt::format("{} s", whole);
    return whole < 7200 ? fmt::format("{} min", whole / 60) : fmt::format("{} h", whole / 3600);
}

}  // namespace

std::string rate_and_time_left(std::uint64_t done, std::uint64_t total, std::int64_t passed_ns, std::string_view unit) {
    if (done == 0 || passed_ns < kRateAfterNs) return {};
    const double rate = static_cast<double>(done) * 1e9 / static_cast<double>(passed_ns);
    const double left = static_cast<double>(total - std::min(done, total)) / rate;
    return fmt::format("{}, {} left", per_second(rate, unit), seconds(left));
}

std::string bar_line(std::uint64_t done, std::uint64_t total, const std::string& text, const std::string& rate,
                     std::size_t columns) {
    const std::uint64_t part = std::min(done, total);
    const std::uint64_t filled = total == 0 ? kBarWidth : part * kBarWidth / total;
    std::string line;
    if (columns >= kBarFrom) {
        line = fmt::format("[{}{}] ", std::string(filled, '#'), std::string(kBarWidth - filled, '.'));
    }
    line += fmt::format("{:3}%", total == 0 ? 100 : part * 100 / total);
    line += rate.empty() ? "" : " " + rate + ",";
    return cut(printable(line + " " + text), columns);
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

bool Progress::due(std::int64_t now_ns) {
    if (quiet_ || !terminal_ || now_ns < next_ns_) return false;
    began_ns_ = began_ns_ == 0 ? now_ns : began_ns_;
    now_ns_ = now_ns;
    next_ns_ = now_ns + kPeriodNs;
    return true;
}

void Progress::draw(std::uint64_t done, std::uint64_t total, std::string_view unit, const std::string& text) {
    if (quiet_ || !terminal_) return;
    // The last column stays free: in it some terminals go on to the next line.
    const std::size_t asked = size_of(STDERR_FILENO).columns;
    const std::size_t columns = (asked == 0 ? kColumnsUnknown : asked) - 1;
    const std::string rate = rate_and_time_left(done, total, now_ns_ - began_ns_, unit);
    fmt::print(stderr, "\r{}\x1b[K", bar_line(done, total, text, rate, columns));
    std::fflush(stderr);
    open_ = true;
}

void Progress::clear() {
    if (!open_) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    open_ = false;
}

void Progress::finish() {
    clear();
    began_ns_ = 0;
    next_ns_ = 0;
}

void Progress::say(const std::string& text) {
    if (quiet_) return;
    clear();
    fmt::print(stderr, "{}\n", text);
}

}  // namespace bayplan::terminal
