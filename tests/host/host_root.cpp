// See host_root.h.
#include "host_root.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "host/host_facts.h"

namespace bayplan::testing {
namespace {

namespace fs = std::filesystem;
using threads::CpuSet;

CpuSet range(std::size_t first, std::size_t count) {
    CpuSet set;
    for (std::size_t cpu = first; cpu < first + count; ++cpu) set.add(cpu);
    return set;
}

void write_set(const HostRoot& root, const std::string& path, const CpuSet& cpus) {
    root.write(path, host::to_mask(cpus));
    root.write(path + "_list", cpus.to_string());
}

}  // namespace

HostRoot::HostRoot() {
    std::string name = (fs::temp_directory_path() / "bayplan-host.XXXXXX").string();
    root_ = mkdtemp(name.data());
}

HostRoot::~HostRoot() { fs::remove_all(root_); }

void HostRoot::write(const std::string& path, std::string_view text) const {
    fs::create_directories(fs::path(file(path)).parent_path());
    std::ofstream(file(path)) << text << '\n';
}

std::string HostRoot::read(const std::string& path) const {
    std::ifstream file_at(file(path));
    std::string text((std::istreambuf_iterator<char>(file_at)), std::istreambuf_iterator<char>());
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

void HostRoot::remove(const std::string& path) const { fs::remove_all(file(path)); }

void HostRoot::block(const std::string& path) const {
    remove(path);
    fs::create_directories(file(path));
}

void HostRoot::link(const std::string& path, const std::string& target) const {
    fs::create_directories(fs::path(file(path)).parent_path());
    fs::create_directory_symlink(target, file(path));
}

void HostRoot::add_cpus(const Shape& shape) const {
    const std::size_t all_cores = shape.sockets * shape.cores;
    const std::size_t count = all_cores * shape.threads;
    std::string info;
    for (std::size_t cpu = 0; cpu < count; ++cpu) {
        const std::size_t core = cpu % all_cores;
        const std::size_t socket = core / shape.cores;
        CpuSet siblings;
        CpuSet package;
        for (std::size_t thread = 0; thread < shape.threads; ++thread) {
            siblings.add(core + thread * all_cores);
            for (std::size_t i = 0; i < shape.cores; ++i) package.add(socket * shape.cores + i + thread * all_cores);
        }
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}", cpu);
        write(folder + "/topology/core_id", std::to_string(core % shape.cores));
        write(folder + "/topology/physical_package_id", std::to_string(socket));
        write(folder + "/topology/die_id", "0");
        for (const char* name : {"core_cpus", "thread_siblings"})
            write_set(*this, folder + "/topology/" + name, siblings);
        for (const char* name : {"package_cpus", "core_siblings", "die_cpus"}) {
            write_set(*this, folder + "/topology/" + name, package);
        }
        if (!shape.governor.empty()) write(folder + "/cpufreq/scaling_governor", shape.governor);
        info += fmt::format(
            "processor\t: {}\nvendor_id\t: GenuineIntel\nmodel name\t: Test Processor 1000\n"
            "physical id\t: {}\n"
            "flags\t\t: fpu sse avx2{}\n\n",
            cpu, socket, shape.virtual_machine ? " hypervisor" : "");
    }
    write("/proc/cpuinfo", info);
    const std::string everything = range(0, count).to_string();
    for (const char* name : {"online", "possible", "present"}) {
        write(std::string("/sys/devices/system/cpu/") + name, everything);
    }
    write("/sys/devices/system/cpu/isolated", "");
    write("/proc/self/status",
          "Name:\tbayplan\nCpus_allowed:\t" + host::to_mask(range(0, count)) + "\nCpus_allowed_list:\t" + everything);
    write("/sys/devices/virtual/workqueue/cpumask", host::to_mask(range(0, count)));
    for (std::size_t socket = 0; socket < shape.sockets; ++socket) {
        CpuSet mine;
        for (std::size_t cpu = 0; cpu < count; ++cpu) {
            if (cpu % all_cores / shape.cores == socket) mine.add(cpu);
        }
        const std::string folder = fmt::format("/sys/devices/system/node/node{}", socket);
        write(folder + "/cpumap", host::to_mask(mine));
        write(folder + "/cpulist", mine.to_string());
        write(folder + "/meminfo", fmt::format("Node {} MemTotal:       {} kB\nNode {} MemFree:        100 kB", socket,
                                               shape.mib_of_socket * 1024, socket));
        write(folder + "/distance", "10");
    }
    write("/sys/devices/system/node/online", range(0, shape.sockets).to_string());
    write("/sys/devices/system/node/possible", range(0, shape.sockets).to_string());
    write("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm");
    write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
}

void HostRoot::add_memory(std::size_t mib, std::size_t swap_mib) const {
    write("/proc/meminfo", fmt::format("MemTotal:       {} kB\nMemFree:          1000 kB\nSwapTotal:      {} kB\n"
                                       "HugePages_Total:       0\nHugepagesize:       2048 kB",
                                       mib * 1024, swap_mib * 1024));
}

void HostRoot::add_hugepages(const std::string& folder, std::size_t kib, std::size_t total, std::size_t free) const {
    const std::string pool = fmt::format("{}/hugepages-{}kB", folder, kib);
    write(pool + "/nr_hugepages", std::to_string(total));
    write(pool + "/free_hugepages", std::to_string(free));
}

void HostRoot::add_irq(int number, const std::string& device, const std::string& cpus) const {
    const std::string folder = fmt::format("/proc/irq/{}", number);
    write(folder + "/smp_affinity_list", cpus);
    write(folder + "/effective_affinity_list", cpus);
    write(folder + "/node", "0");
    if (!device.empty()) write(fmt::format("/sys/kernel/irq/{}/actions", number), device);
}

void HostRoot::add_nic(const std::string& name, const std::string& address, int numa, const std::string& driver) const {
    const std::string device = "/sys/devices/pci0000:00/" + address;
    write(device + "/numa_node", std::to_string(numa));
    write("/sys/bus/pci/drivers/" + driver + "/uevent", "");
    link(device + "/driver", file("/sys/bus/pci/drivers/" + driver));
    link(device + "/subsystem", file("/sys/bus/pci"));
    link("/sys/bus/pci/devices/" + address, file(device));
    link("/sys/class/net/" + name + "/device", file(device));
}

void make_server(const HostRoot& root) {
    root.add_cpus({.sockets = 2,
                   .cores = 4,
                   .threads = 2,
                   .mib_of_socket = 32'768,
                   .virtual_machine = false,
                   .governor = "powersave"});
    root.add_memory(65'000, 8'192);
    for (const int node : {0, 1}) {
        root.add_hugepages(fmt::format("/sys/devices/system/node/node{}/hugepages", node), 2'048, node == 0 ? 100 : 0,
                           50);
        root.add_hugepages(fmt::format("/sys/devices/system/node/node{}/hugepages", node), 1'048'576, 0, 0);
    }
    root.add_hugepages("/sys/kernel/mm/hugepages", 2'048, 100, 50);
    root.add_hugepages("/sys/kernel/mm/hugepages", 1'048'576, 0, 0);
    root.write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
    root.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
    root.write("/sys/devices/system/cpu/nohz_full", "(null)");
    root.write("/proc/sys/kernel/numa_balancing", "1");
    root.write("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet");
    root.write("/proc/self/cgroup", "0::/user.slice/session.scope");
    root.write("/proc/irq/default_smp_affinity", "ffff");
    root.add_irq(0, "timer", "0-15");
    root.add_irq(24, "nvme0q1", "0");
    root.add_irq(41, "eth0-rx-0", "4-7,12-15");
    root.add_irq(42, "eth0-rx-1", "6");
    root.add_nic("eth0", "0000:81:00.0", 1, "ice");
    root.add_nic("eth1", "0000:03:00.0", 0, "vfio-pci");
}

void make_vm(const HostRoot& root) {
    root.add_cpus(
        {.sockets = 1, .cores = 8, .threads = 1, .mib_of_socket = 16'384, .virtual_machine = true, .governor = ""});
    root.add_memory(16'000, 0);
    root.add_hugepages("/sys/devices/system/node/node0/hugepages", 2'048, 512, 512);
    root.add_hugepages("/sys/kernel/mm/hugepages", 2'048, 512, 512);
    root.write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
    root.write("/sys/devices/system/cpu/isolated", "1-7");
    root.write("/proc/cmdline", "ro isolcpus=1-7 nohz_full=1-7 rcu_nocbs=1-7");
    root.write("/proc/self/cgroup", "0::/");
    root.write("/sys/devices/virtual/workqueue/cpumask", "01");
    root.add_irq(30, "virtio0-input.0", "0");
}

void make_container(const HostRoot& root) {
    root.add_cpus({.sockets = 1,
                   .cores = 16,
                   .threads = 1,
                   .mib_of_socket = 65'536,
                   .virtual_machine = false,
                   .governor = "performance"});
    root.add_memory(65'000, 0);
    root.write("/proc/self/status", "Cpus_allowed:\t0003\nCpus_allowed_list:\t0-1");
    root.write("/proc/self/cgroup", "0::/kubepods/pod1/c1");
    root.write("/sys/fs/cgroup/kubepods/pod1/c1/cpu.max", "max 100000");
    root.write("/sys/fs/cgroup/kubepods/pod1/cpu.max", "200000 100000");
    root.write("/sys/fs/cgroup/kubepods/pod1/c1/memory.max", "1073741824");
    root.write("/sys/fs/cgroup/kubepods/pod1/memory.max", "max");
    root.block("/sys/kernel/mm/transparent_hugepage/enabled");
}

}  // namespace bayplan::testing
