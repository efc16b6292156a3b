// The order of the groups, and what they share.
//
// Thread: any; pure.
#include "host/checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/units.h"

namespace bayplan::host {

using threads::CpuSet;
using threads::Role;

std::string_view to_string(Severity severity) {
    switch (severity) {
        case Severity::ok: return "ok";
        case Severity::note: return "note";
        case Severity::unknown: return "unknown";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "";
}

std::vector<Finding> check_host(const HostFacts& facts, const std::vector<Nic>& nics,
                                const config::ProfileConfig& profile) {
    Findings findings;
    check_cpus(facts, profile, findings);
    check_isolation(facts, profile, findings);
    check_memory(facts, profile, findings);
    check_nics(facts, nics, profile, findings);
    return findings;
}

Severity worst(const std::vector<Finding>& findings) {
    Severity most = Severity::ok;
    for (const Finding& finding : findings) most = std::max(most, finding.severity);
    return most;
}

CpuSet united(const std::vector<CpuSet>& sets) {
    CpuSet all;
    for (const CpuSet& set : sets) {
        for (const std::size_t cpu : set.cpus()) all.add(cpu);
    }
    return all;
}

CpuSet cpus_of(const threads::ThreadPlan& plan, Role role) { return united(plan.of(role)); }

CpuSet all_cpus_of(const threads::ThreadPlan& plan, bool housekeeping) {
    std::vector<CpuSet> sets;
    for (std::size_t role = 0; role < threads::kRoleCount; ++role) {
        if (!housekeeping && static_cast<Role>(role) == Role::housekeeping) continue;
        sets.push_back(cpus_of(plan, static_cast<Role>(role)));
    }
    return united(sets);
}

std::string cpus_text(const CpuSet& cpus) { return cpus.empty() ? "none" : cpus.to_string(); }

std::string bytes_text(std::int64_t bytes) {
    constexpr std::int64_t kGi = std::int64_t{1} << 30;
    if (bytes < kGi || bytes % kGi == 0) return config::print_size(bytes);
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(kGi));
}

std::vector<int> hugepage_domains(const HostFacts& facts, const config::ProfileConfig& profile) {
    if (!facts.topology) return {};
    const bool by_domain = std::ranges::any_of(facts.hugepages, [](const HugePages& pool) { return pool.numa >= 0; });
    return by_domain ? facts.topology->numa_of(cpus_of(profile.plan, Role::data_plane)) : std::vector<int>();
}

}  // namespace bayplan::host
