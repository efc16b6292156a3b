// CPUs, interrupts, clock and NICs. Memory is in memory_facts.cpp, control groups in limit_facts.cpp.
//
// Thread: main.
#include "host/host_facts.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "host/fact_readers.h"

namespace bayplan::host {
namespace {

using threads::CpuSet;

constexpr char kCpus[] = "/sys/devices/system/cpu";

Known<CpuSet> to_set(const Known<std::string>& text) {
    if (!text) return text.reason<CpuSet>();
    // An empty list, and what kernels print that were not told of any CPU.
    if (text->empty() || *text == "(null)" || *text == "N/A") return {CpuSet(), false, {}};
    std::string error;
    const auto set = CpuSet::parse(*text, error);
    if (!set) return {std::nullopt, false, error};
    return {*set, false, {}};
}

// The first value of a name in a file of lines "name : value".
std::string field(const std::string& text, std::string_view name) {
    for (const std::string& line : split(text, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && trimmed(line.substr(0, colon)) == name) {
            return trimmed(line.substr(colon + 1));
        }
    }
    return "";
}

Known<CpuSet> read_allowed(const HostFiles& files) {
    const auto status = files.read("/proc/self/status");
    if (!status) return status.reason<CpuSet>();
    return to_set({field(*status, "Cpus_allowed_list"), false, {}});
}

Known<CpuSet> merge(Known<CpuSet> into, const Known<CpuSet>& more) {
    if (!more) return into;
    if (!into) into = {CpuSet(), false, {}};
    for (const std::size_t cpu : more->cpus()) into.value->add(cpu);
    return into;
}

// isolcpus, and cpusets that are partitions of their own.
Known<CpuSet> read_isolated(const HostFiles& files) {
    Known<CpuSet> all = to_set(files.read(std::string(kCpus) + "/isolated"));
    return merge(merge(all, to_set(files.read("/sys/fs/cgroup/cpuset.cpus.isolated"))), isolated_by_cpuset(files));
}

// The file came with kernel 6.x; the command line says it on any.
Known<CpuSet> read_nohz_full(const HostFiles& files) {
    const auto set = to_set(files.read(std::string(kCpus) + "/nohz_full"));
    if (set || !set.absent) return set;
    const auto line = files.read("/proc/cmdline");
    if (!line) return line.reason<CpuSet>();
    for (const std::string& word : split(*line, ' ')) {
        constexpr std::string_view kName = "nohz_full=";
        if (word.starts_with(kName)) return to_set({word.substr(kName.size()), false, {}});
    }
    return {CpuSet(), false, {}};
}

Known<CpuSet> read_workqueue(const HostFiles& files) {
    const auto mask = files.read("/sys/devices/virtual/workqueue/cpumask");
    return mask ? parse_mask(*mask) : mask.reason<CpuSet>();
}

std::string irq_device(const HostFiles& files, const std::string& number) {
    const auto actions = files.read("/sys/kernel/irq/" + number + "/actions");
    if (actions) return *actions;
    // Drivers that name their interrupts have a directory of that name beside the settings.
    for (const std::string& name : files.list("/proc/irq/" + number)) {
        if (name.find("affinity") == std::string::npos && name != "node" && name != "spurious") return name;
    }
    return "";
}

Known<std::vector<Irq>> read_irqs(const HostFiles& files) {
    Known<std::vector<Irq>> irqs{std::vector<Irq>(), false, {}};
    std::size_t numbers = 0;
    for (const std::string& name : files.list("/proc/irq")) {
        int number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error != std::errc() || end != name.data() + name.size()) continue;
        ++numbers;
        const auto cpus = to_set(files.read("/proc/irq/" + name + "/smp_affinity_list"));
        if (cpus)
            irqs.value->push_back({number, irq_device(files, name), *cpus});
        else if (irqs.why.empty())
            irqs.why = cpus.why;
    }
    if (numbers == 0) return {std::nullopt, !files.exists("/proc/irq"), "/proc/irq: no interrupts to be seen here"};
    if (irqs.value->empty()) return {std::nullopt, false, irqs.why};
    std::ranges::sort(*irqs.value, {}, &Irq::number);
    return irqs;
}

void read_cpu_settings(const HostFiles& files, HostFacts& facts) {
    facts.online = to_set(files.read(std::string(kCpus) + "/online"));
    facts.allowed = read_allowed(files);
    facts.isolated = read_isolated(files);
    facts.nohz_full = read_nohz_full(files);
    facts.workqueue = read_workqueue(files);
    if (!facts.online) return;
    for (const std::size_t cpu : facts.online->cpus()) {
        facts.governors[cpu] = files.read(fmt::format("{}/cpu{}/cpufreq/scaling_governor", kCpus, cpu));
    }
}

}  // namespace

Known<CpuSet> parse_mask(const std::string& text) {
    CpuSet cpus;
    std::size_t place = 0;
    for (auto letter = text.rbegin(); letter != text.rend(); ++letter) {
        if (*letter == ',') continue;
        int digit = 0;
        if (std::from_chars(&*letter, &*letter + 1, digit, 16).ec != std::errc()) {
            return {std::nullopt, false, "'" + text + "' is not a mask of CPUs"};
        }
        for (std::size_t bit = 0; bit < 4; ++bit) {
            if ((digit >> bit & 1) != 0 && place + bit < threads::kCpusMax) cpus.add(place + bit);
        }
        place += 4;
    }
    return {cpus, false, {}};
}

std::string to_mask(const CpuSet& cpus) {
    const auto all = cpus.cpus();
    std::vector<std::uint32_t> words(all.empty() ? 1 : all.back() / 32 + 1);
    for (const std::size_t cpu : all) words[cpu / 32] |= 1u << (cpu % 32);
    std::string text;
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
        text += text.empty() ? fmt::format("{:x}", *word) : fmt::format(",{:08x}", *word);
    }
    return text;
}

HostFacts read_host_facts(const HostFiles& files) {
    HostFacts facts;
    if (const auto info = files.read("/proc/cpuinfo")) {
        facts.cpu_model = field(*info, "model name");
        facts.cpu_flags = split(field(*info, "flags"), ' ');
        facts.virtual_machine = std::ranges::find(facts.cpu_flags, "hypervisor") != facts.cpu_flags.end();
    }
    read_cpu_settings(files, facts);
    facts.topology = read_topology(files);
    read_memory(files, facts);
    facts.limits = read_limits(files);
    const std::string clock = "/sys/devices/system/clocksource/clocksource0/";
    facts.clocksource = files.read(clock + "current_clocksource");
    if (const auto all = files.read(clock + "available_clocksource")) facts.clocksources = split(*all, ' ');
    facts.irqs = read_irqs(files);
    return facts;
}

Nic read_nic(const HostFiles& files, const std::string& name) {
    Nic nic;
    nic.name = name;
    const std::string as_pci = "/sys/bus/pci/devices/" + name;
    const std::string as_interface = "/sys/class/net/" + name;
    const bool is_address = name.find(':') != std::string::npos;
    nic.found = files.exists(is_address ? as_pci : as_interface);
    const std::string device = is_address ? as_pci : as_interface + "/device";
    nic.driver = files.link_name(device + "/driver");
    nic.pci = is_address || files.link_name(device + "/subsystem") == "pci";
    nic.virtual_function = files.exists(device + "/physfn");
    // A virtio device is a child of its PCI device.
    for (const char* up : {"/numa_node", "/../numa_node"}) {
        const auto numa = files.number(device + up);
        if (!numa) {
            nic.numa = numa.reason<int>();
            continue;
        }
        nic.numa = {static_cast<int>(*numa), false, {}};
        break;
    }
    return nic;
}

}  // namespace bayplan::host
