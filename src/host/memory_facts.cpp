// Memory as /proc/meminfo and sysfs tell it.
//
// Thread: main.
#include <charconv>

#include <fmt/format.h>

#include "host/fact_readers.h"

namespace bayplan::host {
namespace {

constexpr std::string_view kPrefix = "hugepages-";  // "hugepages-2048kB"

// Of a line "MemTotal:       24684096 kB", in bytes.
Known<std::int64_t> meminfo(const HostFiles& files, std::string_view name) {
    const auto text = files.read("/proc/meminfo");
    if (!text) return text.reason<std::int64_t>();
    for (const std::string& line : split(*text, '\n')) {
        if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
        const std::string number = trimmed(std::string_view(line).substr(name.size() + 1));
        std::int64_t kib = 0;
        if (std::from_chars(number.data(), number.data() + number.size(), kib).ec == std::errc()) {
            return {kib * 1024, false, {}};
        }
    }
    return {std::nullopt, false, fmt::format("/proc/meminfo: has no {}", name)};
}

void read_pool(const HostFiles& files, const std::string& folder, int numa, HostFacts& facts) {
    for (const std::string& name : files.list(folder)) {
        if (!name.starts_with(kPrefix)) continue;
        std::int64_t kib = 0;
        std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), kib);
        const std::string file = folder + "/" + name + "/nr_hugepages";
        const auto total = files.number(file);
        const auto free = files.number(folder + "/" + name + "/free_hugepages");
        if (total && free) facts.hugepages.push_back({kib * 1024, numa, *total, *free, file});
    }
}

}  // namespace

void read_memory(const HostFiles& files, HostFacts& facts) {
    facts.memory = meminfo(files, "MemTotal");
    facts.swap = meminfo(files, "SwapTotal").value.value_or(0);
    facts.transparent_hugepages = files.read("/sys/kernel/mm/transparent_hugepage/enabled");
    if (facts.transparent_hugepages) facts.transparent_hugepages.value = chosen(*facts.transparent_hugepages);
    facts.numa_balancing = files.number("/proc/sys/kernel/numa_balancing");
    read_pool(files, "/sys/kernel/mm/hugepages", -1, facts);
    if (!facts.topology) return;
    for (const NumaDomain& domain : facts.topology->domains) {
        read_pool(files, fmt::format("/sys/devices/system/node/node{}/hugepages", domain.number), domain.number, facts);
    }
}

}  // namespace bayplan::host
