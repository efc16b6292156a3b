// See changes.h. Each group of settings has a function; they look at facts, and at files for the exact old value.
//
// Thread: main.
#include "host/changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/units.h"
#include "host/checks.h"

namespace bayplan::host {
namespace {

using config::ProfileConfig;
using threads::CpuSet;

class Planner {
public:
    Planner(const HostFiles& files, const HostFacts& facts, const ProfileConfig& profile)
        : files_(files), facts_(facts), profile_(profile), isolated_(united(profile.host.isolated)) {}

    Plan plan() && {
        hugepages();
        governor();
        transparent();
        clock();
        if (!isolated_.empty()) {
            numa_balancing();
            interrupts();
            masks();
            isolation();
        }
        if (profile_.host.swap == config::Swap::off && facts_.swap > 0) {
            plan_.by_hand.push_back("swap is on: swapoff -a, and remove it from /etc/fstab");
        }
        return std::move(plan_);
    }

private:
    void change(const std::string& path, const std::string& after, const std::string& what) {
        const auto text = files_.read(path);
        if (!text) {
            if (!text.absent) plan_.by_hand.push_back(fmt::format("{}: {} may not be read", what, text.why));
            return;
        }
        const std::string before = chosen(*text);
        if (!same_value(before, after)) plan_.changes.push_back({path, before, after, what});
    }

    void hugepages() {
        const std::int64_t size = config::bytes_of(profile_.host.hugepage_size);
        const auto domains = hugepage_domains(facts_, profile_);
        const auto parts = static_cast<std::int64_t>(std::max<std::size_t>(domains.size(), 1));
        const std::int64_t pages = (profile_.host.hugepages / size + parts - 1) / parts;
        bool found = pages == 0;
        for (const HugePages& pool : facts_.hugepages) {
            const bool near = std::ranges::find(domains, pool.numa) != domains.end();
            const bool counts = domains.empty() ? pool.numa < 0 : near;
            if (pool.bytes != size || !counts) continue;
            found = true;
            const std::string where = pool.numa < 0 ? "" : fmt::format(" on NUMA domain {}", pool.numa);
            // More than asked for may be in use by somebody else.
            if (pool.total < pages) {
                change(pool.file, std::to_string(pages),
                       fmt::format("hugepages of {}{}", config::print_size(size), where));
            }
        }
        if (!found) plan_.by_hand.push_back(fmt::format("the kernel has no hugepages of {}", config::print_size(size)));
    }

    void governor() {
        if (profile_.host.governor != config::Governor::performance) return;
        CpuSet cpus = all_cpus_of(profile_.plan, false);
        if (cpus.empty() && facts_.online) cpus = *facts_.online;
        for (const std::size_t cpu : cpus.cpus()) {
            change(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu), "performance",
                   fmt::format("governor of CPU {}", cpu));
        }
    }

    void transparent() {
        using config::TransparentHugepages;
        const TransparentHugepages wanted = profile_.host.transparent_hugepages;
        if (wanted == TransparentHugepages::any) return;
        const auto& now = facts_.transparent_hugepages;
        if (wanted == TransparentHugepages::madvise && now && *now == "never") return;
        change("/sys/kernel/mm/transparent_hugepage/enabled",
               wanted == TransparentHugepages::never ? "never" : "madvise", "transparent hugepages");
    }

    void clock() {
        if (profile_.host.clocksource != config::Clocksource::tsc) return;
        if (std::ranges::find(facts_.clocksources, "tsc") == facts_.clocksources.end()) {
            plan_.by_hand.push_back("the kernel does not offer the clocksource tsc here");
            return;
        }
        change("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc", "clocksource");
    }

    // Away from isolated CPUs; to all others where nothing would be left.
    CpuSet away(const CpuSet& cpus) const {
        const CpuSet left = cpus.without(isolated_);
        return left.empty() && facts_.online ? facts_.online->without(isolated_) : left;
    }

    void numa_balancing() {
        if (!facts_.topology || facts_.topology->domains.size() < 2) return;
        change("/proc/sys/kernel/numa_balancing", "0", "NUMA balancing");
    }

    void interrupts() {
        if (!facts_.irqs) {
            plan_.by_hand.push_back("interrupts cannot be seen here: " + facts_.irqs.why);
            return;
        }
        for (const Irq& irq : *facts_.irqs) {
            if (irq.cpus.intersection(isolated_).empty() || away(irq.cpus).empty()) continue;
            change(fmt::format("/proc/irq/{}/smp_affinity_list", irq.number), away(irq.cpus).to_string(),
                   fmt::format("interrupt {}{}{}", irq.number, irq.device.empty() ? "" : " ", irq.device));
        }
        if (files_.exists("/run/irqbalance") || files_.exists("/run/irqbalance.pid")) {
            plan_.by_hand.push_back(
                "irqbalance runs and will move interrupts back: stop it, or give it "
                "IRQBALANCE_BANNED_CPULIST=" +
                isolated_.to_string());
        }
    }

    void masks() {
        const auto mask = [&](const std::string& path, const std::string& what) {
            const auto text = files_.read(path);
            const auto cpus = text ? parse_mask(*text) : text.reason<CpuSet>();
            if (cpus && !away(*cpus).empty()) change(path, to_mask(away(*cpus)), what);
        };
        mask("/proc/irq/default_smp_affinity", "CPUs of interrupts to come");
        mask("/sys/devices/virtual/workqueue/cpumask", "CPUs of unbound kernel work");
    }

    void isolation() {
        const bool done = facts_.isolated && isolated_.without(*facts_.isolated).empty();
        const bool quiet = facts_.nohz_full && isolated_.without(*facts_.nohz_full).empty();
        if (done && quiet) return;
        std::string words;
        if (!done) words += " isolcpus=" + isolated_.to_string();
        if (!quiet) words += fmt::format(" nohz_full={0} rcu_nocbs={0}", isolated_.to_string());
        plan_.by_hand.push_back("kernel command line, then boot:" + words);
    }

    const HostFiles& files_;
    const HostFacts& facts_;
    const ProfileConfig& profile_;
    const CpuSet isolated_;
    Plan plan_;
};

}  // namespace

Plan plan_changes(const HostFiles& files, const HostFacts& facts, const ProfileConfig& profile) {
    return Planner(files, facts, profile).plan();
}

bool same_value(const std::string& left, const std::string& right) {
    if (left == right) return true;
    if (left.empty() || right.empty()) return false;
    std::string error;
    const auto left_list = CpuSet::parse(left, error);
    const auto right_list = CpuSet::parse(right, error);
    if (left_list && right_list) return *left_list == *right_list;
    const auto left_mask = parse_mask(left);
    const auto right_mask = parse_mask(right);
    return left_mask && right_mask && *left_mask == *right_mask;
}

}  // namespace bayplan::host
