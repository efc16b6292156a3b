// CPU lists, read and printed.
//
// Thread: any.
#include "threads/cpu_set.h"

#include <fmt/format.h>

#include <charconv>

namespace bayplan::threads {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool read_cpu(std::string_view text, std::size_t& cpu, std::string& error) {
    const std::string_view digits = trim(text);
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), cpu);
    if (digits.empty() || code != std::errc() || end != digits.data() + digits.size()) {
        error = fmt::format("'{}' is not a CPU number", digits);
        return false;
    }
    if (cpu >= kCpusMax) {
        error = fmt::format("CPU {} is out of range: CPUs are 0 to {}", cpu, kCpusMax - 1);
        return false;
    }
    return true;
}

}  // namespace

std::optional<CpuSet> CpuSet::parse(std::string_view text, std::string& error) {
    CpuSet set;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        const std::size_t dash = item.find('-');
        std::size_t first = 0;
        if (!read_cpu(item.substr(0, dash), first, error)) return std::nullopt;
        std::size_t last = first;
        if (dash != std::string_view::npos && !read_cpu(item.substr(dash + 1), last, error)) {
            return std::nullopt;
        }
        if (last < first) {
            error = fmt::format("the range '{}' runs backwards", trim(item));
            return std::nullopt;
        }
        for (std::size_t cpu = first; cpu <= last; ++cpu) set.add(cpu);
        if (comma == std::string_view::npos) return set;
        text.remove_prefix(comma + 1);
    }
}

std::vector<std::size_t> CpuSet::cpus() const {
    std::vector<std::size_t> result;
    for (std::size_t cpu = 0; cpu < kCpusMax; ++cpu) {
        if (bits_.test(cpu)) result.push_back(cpu);
    }
    return result;
}

std::string CpuSet::to_string() const {
    std::string text;
    const std::vector<std::size_t> all = cpus();
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i + 1;
        while (end < all.size() && all[end] == all[end - 1] + 1) ++end;
        if (!text.empty()) text += ',';
        text += fmt::format("{}", all[i]);
        if (end - i > 1) text += fmt::format("-{}", all[end - 1]);
        i = end;
    }
    return text;
}

}  // namespace bayplan::threads
