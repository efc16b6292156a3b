// The table of the profile's `host` section.
//
// Thread: any; constant after the first use.
#include "config/host_needs.h"

#include "config/setting_values.h"
#include "config/settings.h"

namespace bayplan::config {

const Settings<HostNeeds>& host_needs_settings() {
    constexpr Bounds kBytes{0, std::int64_t{1} << 50};
    static const Settings<HostNeeds> table = [&] {
        using H = HostNeeds;
        Settings<H> result;
        result.push_back(cpus("isolated", MEMBER(H, isolated),
                              "CPUs that nothing but the daemon may use: no other threads (isolcpus or an isolated "
                              "cpuset), no timer tick (nohz_full), no interrupts, and none of their cores' other "
                              "hardware threads at work."));
        result.push_back(number("memory", MEMBER(H, memory), NumberForm::size, kBytes, "bytes", "Memory of the host."));
        result.push_back(number("hugepages", MEMBER(H, hugepages), NumberForm::size, kBytes, "bytes",
                                "Memory in hugepages, on the NUMA domains of the data plane."));
        result.push_back(choice("hugepage_size", MEMBER(H, hugepage_size),
                                Choices<HugepageSize>{{"2Mi", HugepageSize::two_mi}, {"1Gi", HugepageSize::one_gi}},
                                "Their size."));
        result.push_back(texts("nics", MEMBER(H, nics), "Ports of the data plane, as interfaces or PCI addresses."));
        result.push_back(choice("governor", MEMBER(H, governor),
                                Choices<Governor>{{"any", Governor::any}, {"performance", Governor::performance}},
                                "Frequency governor of the CPUs of all roles but housekeeping."));
        result.push_back(choice("clocksource", MEMBER(H, clocksource),
                                Choices<Clocksource>{{"any", Clocksource::any}, {"tsc", Clocksource::tsc}},
                                "The kernel's clock: any but tsc costs a system call for each reading."));
        result.push_back(choice("transparent_hugepages", MEMBER(H, transparent_hugepages),
                                Choices<TransparentHugepages>{{"any", TransparentHugepages::any},
                                                              {"madvise", TransparentHugepages::madvise},
                                                              {"never", TransparentHugepages::never}},
                                "For whom the kernel makes hugepages on its own (madvise: or never)."));
        result.push_back(choice("swap", MEMBER(H, swap), Choices<Swap>{{"any", Swap::any}, {"off", Swap::off}},
                                "Whether memory may be swapped out."));
        return result;
    }();
    return table;
}

}  // namespace bayplan::config
