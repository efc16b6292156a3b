// See tune_state.h.
//
// Thread: main.
#include "host/tune_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace bayplan::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "# bayplan tune: path, what was there, what was put there\n";

bool flush(const std::string& path, int flags) {
    const int file = open(path.c_str(), flags | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = fsync(file) == 0;
    const int code = errno;
    close(file);
    errno = code;
    return done;
}

// Whole or not at all: into a file beside it, to the disk, then in its place.
bool write_state(const std::string& state, const std::vector<Change>& changes, std::string& error) {
    std::error_code code;
    const fs::path folder = fs::absolute(state, code).parent_path();
    fs::create_directories(folder, code);
    const std::string beside = state + ".new";
    {
        std::ofstream file(beside, std::ios::trunc);
        file << kHead;
        for (const Change& change : changes)
            file << change.path << '\t' << change.before << '\t' << change.after << '\n';
        file.flush();
        if (!file) {
            error = fmt::format("{}: {}", beside, std::strerror(errno));
            return false;
        }
    }
    if (!flush(beside, O_RDONLY) || std::rename(beside.c_str(), state.c_str()) != 0 ||
        !flush(folder.string(), O_RDONLY | O_DIRECTORY)) {
        error = fmt::format("{}: {}", state, std::strerror(errno));
        return false;
    }
    return true;
}

// True also if there is none: then `changes` is empty.
bool read_state(const std::string& state, std::vector<Change>& changes, std::string& error) {
    std::error_code code;
    if (!fs::exists(state, code)) return true;
    std::ifstream file(state);
    if (!file) {
        error = fmt::format("{}: {}", state, std::strerror(errno));
        return false;
    }
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.empty() || line.front() == '#') continue;
        const std::size_t first = line.find('\t');
        const std::size_t second = line.find('\t', first + 1);
        if (line.front() != '/' || first == std::string::npos || second == std::string::npos) {
            error = fmt::format("{}:{}: is not a line of a state; nothing was done", state, number);
            return false;
        }
        const std::string path = line.substr(0, first);
        changes.push_back({path, line.substr(first + 1, second - first - 1), line.substr(second + 1), path});
    }
    return true;
}

// Writes and looks again: the kernel may take a value and do less.
std::string put(const HostFiles& files, const std::string& path, const std::string& value) {
    std::string error;
    if (!files.write(path, value, error)) return error;
    const auto now = files.read(path);
    if (!now) return now.why;
    if (same_value(chosen(*now), value)) return "";
    return fmt::format("the kernel made it {}, not {}", chosen(*now), value);
}

}  // namespace

bool apply_changes(const HostFiles& files, const std::vector<Change>& changes, const std::string& state,
                   const Report& report, std::string& error) {
    if (changes.empty()) return true;
    std::vector<Change> kept;
    if (!read_state(state, kept, error)) return false;
    for (const Change& change : changes) {
        const auto known = std::ranges::find(kept, change.path, &Change::path);
        if (known == kept.end()) {
            kept.push_back(change);
        } else {
            known->after = change.after;
        }
    }
    if (!write_state(state, kept, error)) return false;
    for (const Change& change : changes) report({change, put(files, change.path, change.after)});
    return true;
}

bool read_undo(const HostFiles& files, const std::string& state, std::vector<Change>& changes, std::string& error) {
    std::vector<Change> kept;
    if (!read_state(state, kept, error)) return false;
    if (kept.empty()) {
        error = fmt::format("{}: nothing to undo", state);
        return false;
    }
    for (auto change = kept.rbegin(); change != kept.rend(); ++change) {
        const auto now = files.read(change->path);
        changes.push_back({change->path, now ? chosen(*now) : "", change->before, change->what});
    }
    return true;
}

bool undo_changes(const HostFiles& files, const std::string& state, const Report& report, std::string& error) {
    std::vector<Change> back;
    if (!read_undo(files, state, back, error)) return false;
    std::vector<Change> left;
    for (const Change& change : back) {
        // A file that is gone (an interrupt of a device that was taken away) has nothing to
        // restore.
        const bool gone = files.read(change.path).absent;
        if (gone || same_value(change.before, change.after)) continue;
        const Outcome outcome{change, put(files, change.path, change.after)};
        if (!outcome.error.empty()) left.push_back({change.path, change.after, change.before, change.what});
        report(outcome);
    }
    if (!left.empty()) {
        std::ranges::reverse(left);
        return write_state(state, left, error);
    }
    if (std::remove(state.c_str()) != 0) {
        error = fmt::format("{}: {}", state, std::strerror(errno));
        return false;
    }
    return true;
}

}  // namespace bayplan::host
