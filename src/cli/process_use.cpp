// See process_use.h.
#include "cli/process_use.h"

#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

std::uint64_t switches_of_thread(const std::filesystem::path& status) {
    constexpr std::string_view kField = "nonvoluntary_ctxt_switches:\t";
    std::ifstream file(status);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(kField)) {
            std::uint64_t count = 0;
            std::from_chars(line.data() + kField.size(), line.data() + line.size(), count);
            return count;
        }
    }
    return 0;  // the thread has ended meanwhile
}

}  // namespace

std::optional<std::int64_t> process_cpu_ns(pid_t pid) {
    clockid_t clock{};
    timespec used{};
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        return std::nullopt;
    }
    return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

std::optional<std::uint64_t> involuntary_switches(pid_t pid) {
    std::error_code fault;
    std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid), fault);
    if (fault) {
        return std::nullopt;
    }
    std::uint64_t sum = 0;
    for (const std::filesystem::directory_iterator end; threads != end; threads.increment(fault)) {
        sum += switches_of_thread(threads->path() / "status");
        if (fault) {
            break;
        }
    }
    return sum;
}

}  // namespace bayplan::cli
