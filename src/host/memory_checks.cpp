// Memory, hugepages, swap, and the kernel's clock.
//
// Thread: any; pure.
#include <fmt/format.h>

#include <algorithm>

#include "config/units.h"
#include "host/checks.h"

namespace bayplan::host {
namespace {

using config::ProfileConfig;

void check_amount(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    const std::int64_t required = profile.host.memory;
    Finding finding{Severity::ok, "memory", "", bytes_text(required),
                    "nodes, pods and their texts stay in memory; past a limit the kernel ends the daemon"};
    const Known<std::int64_t>& limit = facts.limits.memory;
    if (!facts.memory) {
        finding.severity = required > 0 ? Severity::unknown : Severity::ok;
        finding.current = facts.memory.why;
    } else {
        const bool limited = limit && *limit < *facts.memory;
        const std::int64_t have = limited ? *limit : *facts.memory;
        finding.current = bytes_text(have) + (limited ? " by a control group" : "");
        // Memory that firmware and kernel keep is missing from the sum.
        if (have < required - required / 16) finding.severity = Severity::error;
        if (!limit && !limit.absent) finding.current += fmt::format(" (limit not known: {})", limit.why);
    }
    findings.push_back(finding);
}

void check_hugepages(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    const std::int64_t required = profile.host.hugepages;
    const std::int64_t size = config::bytes_of(profile.host.hugepage_size);
    const auto domains = hugepage_domains(facts, profile);
    std::int64_t total = 0;
    std::int64_t free = 0;
    bool seen = false;
    for (const HugePages& pool : facts.hugepages) {
        const bool counts = domains.empty() ? pool.numa < 0 : std::ranges::find(domains, pool.numa) != domains.end();
        if (pool.bytes != size || !counts) continue;
        seen = true;
        total += pool.total * size;
        free += pool.free * size;
    }
    const std::string where = domains.empty() ? "" : fmt::format(" on NUMA domain {}", fmt::join(domains, ", "));
    Finding finding{Severity::ok, "hugepages of " + config::print_size(size),
                    fmt::format("{}, {} free{}", bytes_text(total), bytes_text(free), where), bytes_text(required),
                    "DPDK keeps packet buffers in them; it does not start without"};
    if (!seen) {
        finding.current = "none of this size";
        finding.severity = required > 0 ? Severity::error : Severity::ok;
    } else if (total < required) {
        finding.severity = Severity::error;
    } else if (free < required) {
        finding.severity = Severity::note;
        finding.why = "in use, which is right while the daemon runs";
    }
    findings.push_back(finding);
}

void check_transparent(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    using config::TransparentHugepages;
    const TransparentHugepages wanted = profile.host.transparent_hugepages;
    const Known<std::string>& have = facts.transparent_hugepages;
    std::string required = "any";
    if (wanted == TransparentHugepages::never) required = "never";
    if (wanted == TransparentHugepages::madvise) required = "madvise or never";
    Finding finding{Severity::ok, "transparent hugepages", have ? *have : have.why, required,
                    "'always' lets the kernel stop a thread to gather a hugepage for it"};
    if (wanted != TransparentHugepages::any) {
        const bool good = have && (*have == "never" || (wanted == TransparentHugepages::madvise && *have == "madvise"));
        if (!have)
            finding.severity = have.absent ? Severity::ok : Severity::unknown;
        else if (!good)
            finding.severity = Severity::warning;
    }
    findings.push_back(finding);
}

void check_swap(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    const bool off = profile.host.swap == config::Swap::off;
    findings.push_back({off && facts.swap > 0 ? Severity::warning : Severity::ok, "swap",
                        facts.swap > 0 ? bytes_text(facts.swap) : "none", off ? "none" : "any",
                        "a page that was swapped out stops the engine for as long as the disk takes"});
}

void check_clock(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    const bool tsc = profile.host.clocksource == config::Clocksource::tsc;
    const Known<std::string>& have = facts.clocksource;
    Severity severity = Severity::ok;
    if (tsc && !have) severity = Severity::unknown;
    if (tsc && have && *have != "tsc") severity = Severity::warning;
    findings.push_back({severity, "clocksource", have ? *have : have.why, tsc ? "tsc" : "any",
                        "with any other, each reading of the time is a system call"});
}

}  // namespace

void check_memory(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    check_amount(facts, profile, findings);
    check_hugepages(facts, profile, findings);
    check_transparent(facts, profile, findings);
    check_swap(facts, profile, findings);
    check_clock(facts, profile, findings);
}

}  // namespace bayplan::host
