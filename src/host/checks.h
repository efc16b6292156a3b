// Checks of a host against a profile.
//
// Thread: any; pure functions over facts. A finding is a row of the table that people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "host/host_facts.h"

namespace bayplan::host {

// Rising. `note`: worth knowing, nothing to be done. `unknown`: required, and could not be read.
// `warning`: it runs, slower or less evenly than the profile means. `error`: the daemon would not start.
enum class Severity : std::uint8_t { ok, note, unknown, warning, error };
std::string_view to_string(Severity);

struct Finding {
    Severity severity = Severity::ok;
    std::string check;
    std::string current;
    std::string required;
    std::string why;
};

// All checks, in the order of the table. `nics`: of profile.host.nics, in that order.
std::vector<Finding> check_host(const HostFacts&, const std::vector<Nic>& nics, const config::ProfileConfig&);

Severity worst(const std::vector<Finding>&);

// --- shared with the proposal and the changes
threads::CpuSet united(const std::vector<threads::CpuSet>&);
threads::CpuSet cpus_of(const threads::ThreadPlan&, threads::Role);
// Of all roles; with the housekeeping role or without.
threads::CpuSet all_cpus_of(const threads::ThreadPlan&, bool housekeeping);
std::string cpus_text(const threads::CpuSet&);  // "none" if empty
std::string bytes_text(std::int64_t);           // "16Gi", "24.5 GiB"
// The NUMA domains that hugepages are wanted on: of the data plane's CPUs; empty = the host as a whole.
std::vector<int> hugepage_domains(const HostFacts&, const config::ProfileConfig&);

// --- groups of checks, by file
using Findings = std::vector<Finding>;
void check_cpus(const HostFacts&, const config::ProfileConfig&, Findings&);
void check_isolation(const HostFacts&, const config::ProfileConfig&, Findings&);
void check_memory(const HostFacts&, const config::ProfileConfig&, Findings&);
void check_nics(const HostFacts&, const std::vector<Nic>&, const config::ProfileConfig&, Findings&);

}  // namespace bayplan::host
