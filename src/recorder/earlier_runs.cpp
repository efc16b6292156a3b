// See earlier_runs.h.
#include "recorder/earlier_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace bayplan::recorder {
namespace {

constexpr std::time_t kLoopWithin_s = 600;

struct Run {
    std::uint64_t number = 0;
    std::string path;
    std::uint64_t bytes = 0;
    std::time_t ended_s = 0;
};

std::filesystem::path folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? std::filesystem::path(".") : folder;
}

// By number: the oldest first.
std::vector<Run> runs_of(const std::string& path) {
    const std::string begin = std::filesystem::path(path).filename().string() + ".";
    std::vector<Run> runs;
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(folder_of(path), ignored)) {
        const std::string name = file.path().filename().string();
        if (!name.starts_with(begin)) continue;
        const std::string_view digits = std::string_view(name).substr(begin.size());
        Run run{0, file.path().string(), 0, 0};
        const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), run.number);
        struct stat status {};
        if (error != std::errc() || stopped != digits.data() + digits.size() || run.number == 0) continue;
        if (stat(run.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        run.bytes = static_cast<std::uint64_t>(status.st_size);
        run.ended_s = status.st_mtime;
        runs.push_back(std::move(run));
    }
    std::ranges::sort(runs, {}, &Run::number);
    return runs;
}

// Which goes first; the newest only when there is no other.
std::size_t dispensable(const std::vector<Run>& runs) {
    for (std::size_t i = 1; i + 1 < runs.size(); ++i) {
        if (runs[i].ended_s - runs[i - 1].ended_s <= kLoopWithin_s) return i;
    }
    return 0;
}

std::uint64_t sum_of_bytes(const std::vector<Run>& runs) {
    std::uint64_t sum = 0;
    for (const Run& run : runs) sum += run.bytes;
    return sum;
}

// An earlier one of that name, if somebody else made it meanwhile, is not replaced.
bool give_number(const std::string& path, std::uint64_t number, std::string& error) {
    const std::string kept = fmt::format("{}.{}", path, number);
    if (renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, kept.c_str(), RENAME_NOREPLACE) == 0) return true;
    error = fmt::format("{}: cannot be kept as {}: {}", path, kept, std::strerror(errno));
    return false;
}

}  // namespace

void sync_folder_of(const std::string& path) {
    const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    fsync(folder);
    close(folder);
}

bool keep_earlier_runs(const std::string& path, const RecordingLimits& limits, std::uint64_t& bytes_left,
                       std::string& error) {
    struct stat status {};
    const bool is_file = stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    std::vector<Run> runs = runs_of(path);
    if (is_file && status.st_size > 0) {
        const std::uint64_t number = runs.empty() ? 1 : runs.back().number + 1;
        if (!give_number(path, number, error)) return false;
        runs = runs_of(path);
    }
    while (!runs.empty() && (runs.size() > limits.runs || sum_of_bytes(runs) > limits.bytes_max / 2)) {
        const auto out = runs.begin() + static_cast<std::ptrdiff_t>(dispensable(runs));
        if (unlink(out->path.c_str()) != 0) {
            error = fmt::format("{}: cannot be removed: {}", out->path, std::strerror(errno));
            return false;
        }
        runs.erase(out);
    }
    bytes_left = limits.bytes_max - sum_of_bytes(runs);
    return true;
}

}  // namespace bayplan::recorder
