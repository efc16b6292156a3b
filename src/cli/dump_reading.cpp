// See dump_reading.h.
#include "cli/dump_reading.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "cli/interrupt.h"

namespace bayplan::cli {

namespace {

// Of a pipe, or of what is not there, 0.
std::uint64_t size_of(const std::string& path) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

}  // namespace

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

bool read_files(const std::vector<std::string>& files, kube::ClusterDump& dump, terminal::Progress& progress) {
    std::uint64_t total = 0;
    for (const std::string& path : files) {
        total += size_of(path);
    }
    std::uint64_t before = 0;
    bool any = false;
    for (const std::string& path : files) {
        any = dump.read_file(path, [&](std::uint64_t bytes) {
            if (Interrupt::came()) {
                throw InterruptedReading();
            }
            if (progress.due(now_ns())) {
                progress.draw(std::min(before + bytes, total), total, "B", "reading " + path);
            }
        }) || any;
        before += size_of(path);
    }
    progress.finish();
    dump.finish();
    return any;
}

}  // namespace bayplan::cli
