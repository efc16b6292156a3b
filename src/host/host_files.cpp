// See host_files.h.
//
// Thread: any.
#include "host/host_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace bayplan::host {
namespace {

namespace fs = std::filesystem;

// Of the kernel's files only a few are longer (interrupts, cpuinfo); this is their bound.
constexpr std::size_t kBytesMax = std::size_t{16} << 20;

// Errors that say "not on this kernel or machine".
bool means_absent(int code) {
    return code == ENOENT || code == ENOTDIR || code == ENODEV || code == ENXIO || code == EOPNOTSUPP;
}

}  // namespace

HostFiles::HostFiles(std::string root) : root_(std::move(root)) {
    while (root_.ends_with('/')) root_.pop_back();
}

std::string HostFiles::full(const std::string& path) const { return root_ + path; }

Known<std::string> HostFiles::read(const std::string& path) const {
    const auto refused = [&](int code) {
        return Known<std::string>{std::nullopt, means_absent(code), path + ": " + std::strerror(code)};
    };
    const int file = open(full(path).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return refused(errno);
    std::string text;
    char buffer[4096];
    ssize_t bytes = 0;
    while (text.size() < kBytesMax && (bytes = ::read(file, buffer, sizeof buffer)) > 0) {
        text.append(buffer, static_cast<std::size_t>(bytes));
    }
    const int code = errno;
    close(file);
    if (bytes < 0) return refused(code);
    return {trimmed(text), false, {}};
}

Known<std::int64_t> HostFiles::number(const std::string& path) const {
    const auto text = read(path);
    if (!text) return text.reason<std::int64_t>();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size()) {
        return {std::nullopt, false, path + ": is not a number"};
    }
    return {value, false, {}};
}

bool HostFiles::exists(const std::string& path) const {
    std::error_code code;
    return fs::exists(full(path), code);
}

std::vector<std::string> HostFiles::list(const std::string& path) const {
    std::vector<std::string> names;
    std::error_code code;
    fs::directory_iterator entry(full(path), code);
    for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
        names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string HostFiles::link_name(const std::string& path) const {
    std::error_code code;
    const fs::path target = fs::read_symlink(full(path), code);
    return code ? "" : target.filename().string();
}

bool HostFiles::write(const std::string& path, std::string_view text, std::string& error) const {
    const int file = open(full(path).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    // One call: the kernel takes each as a value of its own.
    const bool done = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (!done) error = std::strerror(errno);
    if (file >= 0) close(file);
    return done;
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view kWhite = " \t\n\r";
    const std::size_t first = text.find_first_not_of(kWhite);
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(kWhite) - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::string chosen(std::string_view text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return trimmed(text);
    return std::string(text.substr(open + 1, close - open - 1));
}

}  // namespace bayplan::host
