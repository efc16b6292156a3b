// Ports of the data plane: there, near, and with a driver that DPDK can use.
//
// Thread: any; pure.
#include <fmt/format.h>

#include <algorithm>

#include "host/checks.h"

namespace bayplan::host {
namespace {

void check_locality(const HostFacts& facts, const Nic& nic, const config::ProfileConfig& profile, Findings& findings) {
    const auto cpus = cpus_of(profile.plan, threads::Role::data_plane);
    const auto domains = facts.topology ? facts.topology->numa_of(cpus) : std::vector<int>();
    Finding finding{Severity::ok, "NUMA of " + nic.name, nic.numa ? fmt::format("{}", *nic.numa) : nic.numa.why,
                    domains.empty() ? "any" : fmt::format("the data plane's: {}", fmt::join(domains, ", ")),
                    "packets cross between the processors otherwise, and their caches do not hold them"};
    const bool single = facts.topology && facts.topology->domains.size() < 2;
    if (nic.numa && *nic.numa < 0) {
        finding.current = "not told by the platform";
        finding.severity = single ? Severity::ok : Severity::note;
    } else if (nic.numa && !domains.empty()) {
        const bool near = std::ranges::find(domains, *nic.numa) != domains.end();
        finding.severity = near ? Severity::ok : Severity::warning;
    } else if (!nic.numa && !single) {
        finding.severity = nic.numa.absent ? Severity::note : Severity::unknown;
    }
    findings.push_back(finding);
}

void check_driver(const Nic& nic, Findings& findings) {
    // These run under DPDK beside the kernel; the others must be handed over to vfio-pci.
    static constexpr std::string_view kShared[] = {"mlx4_core", "mlx5_core", "mana"};
    const bool usable = nic.driver.starts_with("vfio") || nic.driver == "uio_pci_generic" || nic.driver == "igb_uio" ||
                        std::ranges::find(kShared, nic.driver) != std::end(kShared);
    std::string current = nic.driver.empty() ? "none" : nic.driver;
    if (nic.virtual_function) current += ", a virtual function";
    findings.push_back({usable ? Severity::ok : Severity::note, "driver of " + nic.name, current,
                        "vfio-pci, or mlx4, mlx5, mana",
                        "with another the port runs over af_packet: through the kernel"});
}

}  // namespace

void check_nics(const HostFacts& facts, const std::vector<Nic>& nics, const config::ProfileConfig& profile,
                Findings& findings) {
    for (const Nic& nic : nics) {
        findings.push_back({nic.found ? Severity::ok : Severity::error, "NIC " + nic.name,
                            nic.found ? "there" : "not there", "there", "the data plane has no port without it"});
        if (!nic.found) continue;
        check_locality(facts, nic, profile, findings);
        check_driver(nic, findings);
    }
}

}  // namespace bayplan::host
