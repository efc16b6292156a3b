// Limits of the control groups that this process is in, of version 2 and 1.
//
// A group's limit holds for all below it, so every level up to the top is looked at. In a container the
// levels above its own are not to be seen: the limit found there is its own.
//
// Thread: main.
#include <algorithm>
#include <charconv>
#include <functional>

#include "host/fact_readers.h"

namespace bayplan::host {
namespace {

constexpr char kTop[] = "/sys/fs/cgroup";

// The group of this process: of a controller of version 1, or with "" of version 2. No value if there is none.
Known<std::string> group_of(const HostFiles& files, std::string_view controller) {
    const auto text = files.read("/proc/self/cgroup");
    if (!text) return text;
    for (const std::string& line : split(*text, '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto names = split(std::string_view(line).substr(first + 1, second - first - 1), ',');
        const bool wanted = controller.empty() ? names.empty() : std::ranges::find(names, controller) != names.end();
        if (wanted) return {line.substr(second + 1), false, {}};
    }
    return {std::nullopt, true, "/proc/self/cgroup: no such control group"};
}

// The folders of the group and of all above it.
std::vector<std::string> levels(const std::string& top, std::string group) {
    std::vector<std::string> folders;
    while (group.size() > 1) {
        folders.push_back(top + group);
        group.erase(group.rfind('/'));
    }
    folders.push_back(top);
    return folders;
}

template <class T>
using ReadLimit = std::function<Known<T>(const std::string& folder)>;

// The least limit of all levels. Nothing and `absent`: no level has one.
template <class T>
Known<T> least(const std::vector<std::string>& folders, const ReadLimit<T>& read) {
    Known<T> result{std::nullopt, true, "no limit"};
    for (const std::string& folder : folders) {
        const Known<T> limit = read(folder);
        if (limit) {
            result = !result || *limit < *result ? limit : result;
        } else if (!limit.absent && !result) {
            result = limit;
        }
    }
    return result;
}

// cpu.max: "max 100000", or "250000 100000".
Known<double> quota_v2(const HostFiles& files, const std::string& folder) {
    const auto text = files.read(folder + "/cpu.max");
    if (!text) return text.reason<double>();
    const auto parts = split(*text, ' ');
    if (parts.size() != 2 || parts[0] == "max") return {std::nullopt, true, "no limit"};
    double numbers[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string& part = parts[i];
        if (std::from_chars(part.data(), part.data() + part.size(), numbers[i]).ec != std::errc()) {
            return {std::nullopt, false, folder + "/cpu.max: is not understood"};
        }
    }
    return {numbers[0] / numbers[1], false, {}};
}

Known<double> quota_v1(const HostFiles& files, const std::string& folder) {
    const auto quota = files.number(folder + "/cpu.cfs_quota_us");
    const auto period = files.number(folder + "/cpu.cfs_period_us");
    if (!quota) return quota.reason<double>();
    if (*quota <= 0 || !period || *period <= 0) return {std::nullopt, true, "no limit"};
    return {static_cast<double>(*quota) / static_cast<double>(*period), false, {}};
}

// "max", or above this, is no limit: version 1 writes 2^63 less a page.
constexpr std::int64_t kNoMemoryLimit = std::int64_t{1} << 60;

Known<std::int64_t> memory_limit(const HostFiles& files, const std::string& file) {
    const auto text = files.read(file);
    if (!text) return text.reason<std::int64_t>();
    if (*text == "max") return {std::nullopt, true, "no limit"};
    const auto number = files.number(file);
    return number && *number >= kNoMemoryLimit ? Known<std::int64_t>{std::nullopt, true, "no limit"} : number;
}

}  // namespace

Limits read_limits(const HostFiles& files) {
    Limits limits;
    const std::string top = kTop;
    if (const auto group = group_of(files, "cpu")) {
        limits.cpus = least<double>(levels(top + "/cpu", *group),
                                    [&](const std::string& folder) { return quota_v1(files, folder); });
    } else if (const auto unified = group_of(files, "")) {
        limits.cpus =
            least<double>(levels(top, *unified), [&](const std::string& folder) { return quota_v2(files, folder); });
    } else {
        limits.cpus = unified.reason<double>();
    }
    if (const auto group = group_of(files, "memory")) {
        limits.memory = least<std::int64_t>(levels(top + "/memory", *group), [&](const std::string& folder) {
            return memory_limit(files, folder + "/memory.limit_in_bytes");
        });
    } else if (const auto unified = group_of(files, "")) {
        limits.memory = least<std::int64_t>(levels(top, *unified), [&](const std::string& folder) {
            return memory_limit(files, folder + "/memory.max");
        });
    } else {
        limits.memory = unified.reason<std::int64_t>();
    }
    return limits;
}

Known<threads::CpuSet> isolated_by_cpuset(const HostFiles& files) {
    const Known<threads::CpuSet> none{std::nullopt, true, "no isolated partition"};
    const auto group = group_of(files, "");
    if (!group) return none;
    const std::string folder = kTop + *group;
    const auto partition = files.read(folder + "/cpuset.cpus.partition");
    const auto cpus = files.read(folder + "/cpuset.cpus.effective");
    if (!partition || *partition != "isolated" || !cpus) return none;
    std::string error;
    const auto set = threads::CpuSet::parse(*cpus, error);
    return set ? Known<threads::CpuSet>{*set, false, {}} : none;
}

}  // namespace bayplan::host
