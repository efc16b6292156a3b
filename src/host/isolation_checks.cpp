// CPUs that nothing but the daemon may use: threads, ticks, interrupts, the core's other threads.
//
// Thread: any; pure.
#include <fmt/format.h>

#include "host/checks.h"

namespace bayplan::host {
namespace {

using config::ProfileConfig;
using threads::CpuSet;
using threads::Role;

void check_within(const Known<CpuSet>& have, const CpuSet& wanted, std::string name, std::string why,
                  Findings& findings) {
    Finding finding{Severity::ok, std::move(name), have ? cpus_text(*have) : have.why, cpus_text(wanted),
                    std::move(why)};
    if (!wanted.empty()) {
        if (!have)
            finding.severity = have.absent ? Severity::warning : Severity::unknown;
        else if (!wanted.without(*have).empty())
            finding.severity = Severity::warning;
    }
    findings.push_back(std::move(finding));
}

// "engine: 2-3" on isolated CPUs: both threads of the role would stay where the first was put.
void check_entries(const ProfileConfig& profile, const CpuSet& isolated, Findings& findings) {
    for (std::size_t i = 0; i < threads::kRoleCount; ++i) {
        const auto role = static_cast<Role>(i);
        for (const CpuSet& entry : profile.plan.of(role)) {
            if (entry.count() < 2 || entry.intersection(isolated).empty()) continue;
            findings.push_back({Severity::warning, fmt::format("entries of {}", threads::to_string(role)),
                                entry.to_string(), "one CPU per entry: [2, 3]",
                                "the kernel does not balance threads over isolated CPUs: they stay on one"});
        }
    }
}

// The other hardware threads of these CPUs' cores.
CpuSet siblings_of(const HostFacts& facts, const CpuSet& cpus) {
    CpuSet all;
    if (!facts.topology) return all;
    for (const std::size_t cpu : cpus.cpus()) {
        for (const std::size_t other : facts.topology->siblings(cpu).cpus()) all.add(other);
    }
    return all;
}

void check_roles(const HostFacts& facts, const ProfileConfig& profile, const CpuSet& isolated, Findings& findings) {
    for (const std::string& text : threads::plan_warnings(profile.plan, true)) {
        findings.push_back(
            {Severity::warning, "roles apart", text, "CPUs of their own", "isolated CPUs are for threads that poll"});
    }
    const CpuSet used = all_cpus_of(profile.plan, false);
    const CpuSet unused = isolated.without(used).without(siblings_of(facts, used));
    if (!unused.empty()) {
        findings.push_back({Severity::note, "roles apart", "isolated and in no role: " + unused.to_string(),
                            "a role for each", "nothing will ever run there"});
    }
}

void check_siblings(const HostFacts& facts, const ProfileConfig& profile, const CpuSet& isolated, Findings& findings) {
    Finding finding{Severity::ok, "hardware threads", "alone in their cores",
                    "nothing else in the cores of " + cpus_text(isolated),
                    "the threads of a core share its units and caches: each has about half of it"};
    if (!facts.topology) {
        finding.severity = Severity::unknown;
        finding.current = facts.topology.why;
        findings.push_back(finding);
        return;
    }
    const CpuSet in_roles = all_cpus_of(profile.plan, true);
    const CpuSet others = siblings_of(facts, isolated.intersection(in_roles));
    // Isolated as well and in no role: nothing runs on it.
    const CpuSet busy = others.without(isolated.without(in_roles));
    if (!busy.empty()) {
        finding.severity = Severity::warning;
        finding.current = "work may run beside them on " + busy.to_string();
    }
    findings.push_back(finding);
}

void check_irqs(const HostFacts& facts, const CpuSet& isolated, Findings& findings) {
    Finding finding{Severity::ok, "interrupts", "none on isolated CPUs", "none on " + cpus_text(isolated),
                    "an interrupt takes the CPU from the polling thread for some microseconds"};
    if (!facts.irqs) {
        finding.severity = Severity::unknown;
        finding.current = facts.irqs.why;
        findings.push_back(finding);
        return;
    }
    std::vector<std::string> some;
    std::size_t count = 0;
    for (const Irq& irq : *facts.irqs) {
        if (irq.cpus.intersection(isolated).empty()) continue;
        ++count;
        if (some.size() < 3) some.push_back(trimmed(fmt::format("{} {}", irq.number, irq.device)));
    }
    if (count > 0) {
        finding.severity = Severity::warning;
        finding.current = fmt::format("{} may come there: {}", count, fmt::join(some, ", "));
        if (count > some.size()) finding.current += ", ...";
    }
    if (!facts.irqs.why.empty()) finding.current += fmt::format(" (not all may be read: {})", facts.irqs.why);
    findings.push_back(finding);
}

void check_workqueue(const HostFacts& facts, const CpuSet& isolated, Findings& findings) {
    const std::string current = facts.workqueue ? "on " + cpus_text(*facts.workqueue) : facts.workqueue.why;
    Finding finding{Severity::ok, "kernel work", current, "not on " + cpus_text(isolated),
                    "unbound kernel work may run on any CPU of the workqueue mask"};
    if (facts.workqueue) {
        if (!facts.workqueue->intersection(isolated).empty()) finding.severity = Severity::warning;
    } else if (!facts.workqueue.absent) {
        finding.severity = Severity::unknown;
    }
    findings.push_back(finding);
}

}  // namespace

void check_isolation(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    const CpuSet isolated = united(profile.host.isolated);
    std::string remedy;
    if (!isolated.empty())
        remedy = "; kernel command line: isolcpus=" + isolated.to_string() + ", or a cpuset partition";
    check_within(facts.isolated, isolated, "isolated CPUs", "elsewhere other threads take turns with ours" + remedy,
                 findings);
    if (isolated.empty()) return;
    check_within(facts.nohz_full, isolated, "nohz_full",
                 "the timer tick stops a polling thread up to 1,000 times a second; kernel command line: nohz_full=" +
                     cpus_text(isolated),
                 findings);
    check_entries(profile, isolated, findings);
    check_roles(facts, profile, isolated, findings);
    check_siblings(facts, profile, isolated, findings);
    check_irqs(facts, isolated, findings);
    check_workqueue(facts, isolated, findings);
}

}  // namespace bayplan::host
