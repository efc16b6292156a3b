// Facts and settings of a host that matter to Bayplan: read once, then plain data.
//
// Thread: main; read before anything is pinned. Units: bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/host_files.h"
#include "host/host_topology.h"
#include "threads/cpu_set.h"

namespace bayplan::host {

// Hugepages of one size, of the host or of one NUMA domain.
struct HugePages {
    std::int64_t bytes = 0;  // of one
    int numa = -1;           // -1: of the whole host
    std::int64_t total = 0;
    std::int64_t free = 0;
    std::string file;  // where their number is written
};

struct Irq {
    int number = 0;
    std::string device;  // "" if the kernel does not say
    threads::CpuSet cpus;
};

struct Nic {
    std::string name;  // as asked for: of an interface, or a PCI address
    bool found = false;
    Known<int> numa;
    std::string driver;  // "" = none
    bool pci = false;
    bool virtual_function = false;
};

// Limits of this process by its control groups, the least of all levels.
struct Limits {
    Known<double> cpus;  // of time, by quota; nothing = no limit
    Known<std::int64_t> memory;
};

struct HostFacts {
    std::string cpu_model;
    std::vector<std::string> cpu_flags;
    bool virtual_machine = false;

    Known<threads::CpuSet> online;
    Known<threads::CpuSet> allowed;   // to this process
    Known<threads::CpuSet> isolated;  // isolcpus, and isolated partitions of cpusets
    Known<threads::CpuSet> nohz_full;
    Known<threads::CpuSet> workqueue;  // where unbound kernel work may run
    Known<HostTopology> topology;
    std::map<std::size_t, Known<std::string>> governors;  // by CPU

    Known<std::int64_t> memory;
    std::int64_t swap = 0;
    Limits limits;
    std::vector<HugePages> hugepages;
    Known<std::string> transparent_hugepages;
    Known<std::string> clocksource;
    std::vector<std::string> clocksources;  // that there are
    Known<std::int64_t> numa_balancing;
    Known<std::vector<Irq>> irqs;
};

HostFacts read_host_facts(const HostFiles&);
Nic read_nic(const HostFiles&, const std::string& name);

// "0000000f,ffffffff", lowest CPUs last, as the kernel writes masks.
Known<threads::CpuSet> parse_mask(const std::string& text);
std::string to_mask(const threads::CpuSet&);

}  // namespace bayplan::host
