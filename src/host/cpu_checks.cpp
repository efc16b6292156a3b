// CPUs of the roles: that they are there, fast, and near one another.
//
// Thread: any; pure.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/checks.h"

namespace bayplan::host {
namespace {

using config::ProfileConfig;
using threads::CpuSet;
using threads::Role;

void check_presence(const HostFacts& facts, const CpuSet& wanted, Findings& findings) {
    const auto add = [&](const Known<CpuSet>& have, const char* name, const char* why) {
        if (!have) {
            findings.push_back({Severity::unknown, name, have.why, cpus_text(wanted), why});
            return;
        }
        const bool all = wanted.without(*have).empty();
        findings.push_back({all ? Severity::ok : Severity::error, name, cpus_text(*have),
                            wanted.empty() ? "any" : cpus_text(wanted), why});
    };
    add(facts.online, "CPUs online", "a role on a CPU that is not there: the daemon does not start");
    add(facts.allowed, "CPUs allowed",
        "affinity or a cpuset leaves this process fewer CPUs: the daemon does not start");
}

void check_quota(const HostFacts& facts, const CpuSet& wanted, Findings& findings) {
    const Known<double>& quota = facts.limits.cpus;
    const auto required = static_cast<double>(std::max<std::size_t>(wanted.count(), 1));
    const std::string why = "past a quota of CPU time all threads stand still until its period is over";
    if (quota) {
        findings.push_back({*quota < required ? Severity::warning : Severity::ok, "CPU quota",
                            fmt::format("{:.2f} CPUs", *quota), fmt::format("none, or {:.0f}", required), why});
    } else {
        findings.push_back({quota.absent ? Severity::ok : Severity::unknown, "CPU quota",
                            quota.absent ? "none" : quota.why, "none", why});
    }
}

void check_governor(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    const bool wanted = profile.host.governor == config::Governor::performance;
    CpuSet cpus = all_cpus_of(profile.plan, false);
    if (cpus.empty() && facts.online) cpus = *facts.online;
    std::map<std::string, CpuSet> by_name;
    bool readable = true;
    for (const std::size_t cpu : cpus.cpus()) {
        const auto found = facts.governors.find(cpu);
        if (found == facts.governors.end()) continue;
        const Known<std::string>& governor = found->second;
        readable = readable && (governor || governor.absent);
        if (governor) by_name[*governor].add(cpu);
    }
    std::string current;
    bool good = true;
    for (const auto& [name, where] : by_name) {
        current += fmt::format("{}{} ({})", current.empty() ? "" : ", ", name, where.to_string());
        good = good && name == "performance";
    }
    Finding finding{Severity::ok, "governor", current, wanted ? "performance" : "any",
                    "a CPU that has slowed down needs up to milliseconds to be fast again"};
    if (by_name.empty()) {
        finding.current = readable ? "no frequency control" : "may not be read";
        finding.severity = !wanted ? Severity::ok : readable ? Severity::note : Severity::unknown;
        if (readable && wanted) {
            finding.why =
                facts.virtual_machine ? "a virtual machine: its host decides" : "the kernel has no cpufreq here";
        }
    } else if (wanted && !good) {
        finding.severity = Severity::warning;
    }
    findings.push_back(finding);
}

std::string domains_text(const std::vector<int>& domains) {
    return domains.empty() ? "not known" : fmt::format("{}", fmt::join(domains, ", "));
}

void check_numa(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    if (!facts.topology) {
        findings.push_back({Severity::unknown, "NUMA domains", facts.topology.why, "engines and workers on the same",
                            "workers read what the engine writes"});
        return;
    }
    const HostTopology& topology = *facts.topology;
    const auto engine = topology.numa_of(cpus_of(profile.plan, Role::engine));
    const auto workers = topology.numa_of(cpus_of(profile.plan, Role::worker));
    const std::string why = "workers read what the engine writes; from another domain that takes twice the time";
    if (topology.domains.size() < 2) return;
    const bool good = engine.empty() || workers.empty() || engine == workers;
    findings.push_back({good ? Severity::ok : Severity::warning, "NUMA of workers", domains_text(workers),
                        "the engines': " + domains_text(engine), why});
    if (!profile.host.isolated.empty()) {  // a host that is shared is left as it is
        const bool off = facts.numa_balancing && *facts.numa_balancing == 0;
        const Severity otherwise = facts.numa_balancing ? Severity::warning : Severity::unknown;
        findings.push_back({off || facts.numa_balancing.absent ? Severity::ok : otherwise, "NUMA balancing",
                            facts.numa_balancing ? fmt::format("{}", *facts.numa_balancing) : facts.numa_balancing.why,
                            "0", "the kernel unmaps pages to see who uses them: page faults in pinned threads"});
    }
    std::int64_t near = 0;
    for (const NumaDomain& domain : topology.domains) {
        const bool used = engine.empty() || std::ranges::find(engine, domain.number) != engine.end();
        near += used ? domain.memory_bytes : 0;
    }
    // Rounding and what the kernel keeps: a "16 GiB" host shows less.
    const bool enough = near >= profile.host.memory - profile.host.memory / 16;
    findings.push_back({near == 0 || enough ? Severity::ok : Severity::warning, "memory of the engines' domains",
                        near == 0 ? "not known" : bytes_text(near), bytes_text(profile.host.memory),
                        "an engine's state should lie beside it"});
}

void check_instructions(const HostFacts& facts, Findings& findings) {
    const auto has = [&](std::string_view flag) {
        return std::ranges::find(facts.cpu_flags, flag) != facts.cpu_flags.end();
    };
    const bool avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
    const std::string name = facts.cpu_flags.empty() ? "not known"
                             : avx512                ? "AVX-512"
                             : has("avx2")           ? "AVX2"
                                                     : "scalar only";
    findings.push_back({avx512 || has("avx2") || facts.cpu_flags.empty() ? Severity::ok : Severity::note,
                        "vector instructions", name, "any; AVX2 or AVX-512 for the published figures",
                        "blocks of nodes are judged by vectors"});
}

}  // namespace

void check_cpus(const HostFacts& facts, const ProfileConfig& profile, Findings& findings) {
    const CpuSet wanted = all_cpus_of(profile.plan, true);
    check_presence(facts, wanted, findings);
    check_quota(facts, wanted, findings);
    check_instructions(facts, findings);
    check_governor(facts, profile, findings);
    check_numa(facts, profile, findings);
}

}  // namespace bayplan::host
