// Small hosts (up to three cores) share; on larger ones housekeeping keeps the first core, and the threads that poll
// get cores of their own, on the NUMA domain of the first NIC.
//
// Thread: any; pure.
#include "host/proposal.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/profile.h"
#include "host/checks.h"

namespace bayplan::host {
namespace {

using threads::CpuSet;
using threads::Role;

constexpr std::size_t kCoresToShare = 3;  // up to so many
constexpr std::size_t kWorkersMax = 8;    // more do not shorten a batch of 64 asks
constexpr std::int64_t kGi = std::int64_t{1} << 30;

CpuSet one(std::size_t cpu) {
    CpuSet set;
    set.add(cpu);
    return set;
}

CpuSet usable(const HostFacts& facts) {
    if (!facts.allowed) return facts.online.value.value_or(one(0));
    return facts.online ? facts.allowed->intersection(*facts.online) : *facts.allowed;
}

// The first usable CPU of each core, cores of the wanted domain first. Every CPU counts as a core where the host does
// not say which belong together.
std::vector<std::size_t> first_threads(const HostFacts& facts, const CpuSet& cpus, int domain) {
    if (!facts.topology) return cpus.cpus();
    std::vector<std::size_t> near;
    std::vector<std::size_t> far;
    for (const Core& core : facts.topology->cores) {
        const auto mine = core.cpus.intersection(cpus).cpus();
        if (!mine.empty()) (domain < 0 || core.numa == domain ? near : far).push_back(mine.front());
    }
    near.insert(near.end(), far.begin(), far.end());
    return near.empty() ? cpus.cpus() : near;
}

// That of the first NIC, else of the first core.
int home_domain(const HostFacts& facts, const std::vector<Nic>& nics) {
    for (const Nic& nic : nics) {
        if (nic.numa && *nic.numa >= 0) return *nic.numa;
    }
    return facts.topology && !facts.topology->cores.empty() ? facts.topology->cores.front().numa : -1;
}

void share(const std::vector<std::size_t>& cores, const CpuSet& cpus, threads::ThreadPlan& plan) {
    plan.of(Role::data_plane) = {one(cores[0])};
    plan.of(Role::engine) = {one(cores[cores.size() > 1 ? 1 : 0])};
    for (const Role role : {Role::teller, Role::worker, Role::victim_worker, Role::housekeeping})
        plan.of(role) = {cpus};
}

// Cores in the order of use: data plane, engine, teller, workers, victim workers; the rest goes to housekeeping.
void spread(const HostFacts& facts, std::vector<std::size_t> cores, const CpuSet& cpus, int domain,
            ProposedProfile& proposal) {
    threads::ThreadPlan& plan = proposal.profile.plan;
    // Interrupts and everything else of the host live on CPU 0.
    const std::size_t first_cpu = *std::ranges::min_element(cores);
    std::erase(cores, first_cpu);
    const auto near = static_cast<std::size_t>(std::ranges::count_if(cores, [&](std::size_t cpu) {
        return !facts.topology || domain < 0 || facts.topology->numa_of(cpu) == domain;
    }));
    const std::size_t home = near >= kCoresToShare ? near : cores.size();
    const std::size_t lcores = home >= 12 ? 2 : 1;
    const std::size_t tellers = home - lcores > 2 ? 1 : 0;
    const std::size_t left = home - lcores - 1 - tellers;
    const std::size_t victims = left >= 4 ? std::min(left / 3, kWorkersMax) : 0;
    const std::size_t workers = std::min(left - victims, kWorkersMax);
    std::size_t next = 0;
    const auto take = [&](Role role, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) plan.of(role).push_back(one(cores[next++]));
    };
    take(Role::data_plane, lcores);
    take(Role::engine, 1);
    take(Role::teller, tellers);
    take(Role::worker, workers);
    take(Role::victim_worker, victims);
    if (tellers == 0) plan.of(Role::teller) = plan.of(Role::worker);
    const CpuSet isolated = all_cpus_of(plan, false);
    if (victims == 0) plan.of(Role::victim_worker) = plan.of(Role::worker);
    CpuSet busy = isolated;
    if (facts.topology) {
        for (const std::size_t cpu : isolated.cpus()) {
            for (const std::size_t other : facts.topology->siblings(cpu).cpus()) busy.add(other);
        }
    }
    plan.of(Role::housekeeping) = {cpus.without(busy)};
    proposal.profile.host.isolated = {busy};
}

void ask_of_host(const HostFacts& facts, config::HostNeeds& needs) {
    const std::int64_t memory = std::min(facts.memory.value.value_or(0), facts.limits.memory.value.value_or(INT64_MAX));
    needs.memory = std::min(memory / 2 / kGi, std::int64_t{4}) * kGi;
    const bool has_tsc = std::ranges::find(facts.clocksources, "tsc") != facts.clocksources.end();
    needs.clocksource = has_tsc ? config::Clocksource::tsc : config::Clocksource::any;
    if (facts.swap == 0) needs.swap = config::Swap::off;
    if (needs.isolated.empty()) return;  // a shared host is left as it is
    if (memory >= 16 * kGi) needs.hugepages = kGi;
    needs.transparent_hugepages = config::TransparentHugepages::madvise;
    const bool has_governor = std::ranges::any_of(facts.governors, [](const auto& one) { return bool(one.second); });
    if (has_governor) needs.governor = config::Governor::performance;
}

}  // namespace

std::optional<ProposedProfile> propose_profile(const HostFacts& facts, const std::vector<Nic>& nics,
                                               std::string& error) {
    ProposedProfile proposal;
    const CpuSet cpus = usable(facts);
    if (cpus.empty()) {
        error = "there is no CPU that this process may use and that is online";
        return std::nullopt;
    }
    const int domain = home_domain(facts, nics);
    const auto cores = first_threads(facts, cpus, domain);
    proposal.remarks.push_back(fmt::format(
        "{}: {} cores, {} CPUs ({}), {} NUMA domains, {} of memory.",
        facts.cpu_model.empty() ? "This host" : facts.cpu_model, cores.size(), cpus.count(), cpus.to_string(),
        facts.topology ? facts.topology->domains.size() : 1, bytes_text(facts.memory.value.value_or(0))));
    if (cores.size() <= kCoresToShare) {
        share(cores, cpus, proposal.profile.plan);
        proposal.remarks.push_back("Few cores: threads share them (data_plane.idle: adaptive).");
    } else {
        spread(facts, cores, cpus, domain, proposal);
        const std::string isolated = united(proposal.profile.host.isolated).to_string();
        proposal.remarks.push_back(
            "Threads that poll have cores of their own (data_plane.idle: poll). Kernel command line:");
        proposal.remarks.push_back(fmt::format("  isolcpus={0} nohz_full={0} rcu_nocbs={0}", isolated));
    }
    for (const Nic& nic : nics) proposal.profile.host.nics.push_back(nic.name);
    ask_of_host(facts, proposal.profile.host);
    return proposal;
}

std::string proposal_text(const ProposedProfile& proposal) {
    std::string text;
    for (const std::string& remark : proposal.remarks) text += "# " + remark + "\n";
    return text + config::profile_text(proposal.profile);
}

}  // namespace bayplan::host
