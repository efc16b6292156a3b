// A profile's needs of the host beside CPUs for threads. `bayplan check` compares it with the host, `bayplan tune` sets
// the values that can be set at run time; the daemon does not look at it.
//
// Thread: plain data. Units: bytes. The defaults ask for nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "threads/cpu_set.h"

namespace bayplan::config {

enum class Governor : std::uint8_t { any, performance };
enum class Clocksource : std::uint8_t { any, tsc };
enum class TransparentHugepages : std::uint8_t { any, madvise, never };
enum class Swap : std::uint8_t { any, off };
enum class HugepageSize : std::uint8_t { two_mi, one_gi };

struct HostNeeds {
    std::vector<threads::CpuSet> isolated;  // all entries together
    std::int64_t memory = 0;
    std::int64_t hugepages = 0;
    HugepageSize hugepage_size = HugepageSize::two_mi;
    std::vector<std::string> nics;  // interfaces or PCI addresses
    Governor governor = Governor::any;
    Clocksource clocksource = Clocksource::any;
    TransparentHugepages transparent_hugepages = TransparentHugepages::any;
    Swap swap = Swap::any;

    bool operator==(const HostNeeds&) const = default;
};

inline std::int64_t bytes_of(HugepageSize size) {
    return size == HugepageSize::two_mi ? std::int64_t{2} << 20 : std::int64_t{1} << 30;
}

}  // namespace bayplan::config
