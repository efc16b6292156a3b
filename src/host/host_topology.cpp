// See topology.h.
//
// Thread: main.
#include "host/host_topology.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>

namespace bayplan::host {
namespace {

threads::CpuSet to_cpus(hwloc_const_cpuset_t set) {
    threads::CpuSet cpus;
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
        if (static_cast<std::size_t>(cpu) < threads::kCpusMax) cpus.add(static_cast<std::size_t>(cpu));
    }
    return cpus;
}

// hwloc reads the files below this directory in place of the files below "/".
class OtherRoot {
public:
    explicit OtherRoot(const std::string& root) : set_(!root.empty()) {
        if (set_) setenv("HWLOC_FSROOT", root.c_str(), 1);
    }
    ~OtherRoot() {
        if (set_) unsetenv("HWLOC_FSROOT");
    }
    OtherRoot(const OtherRoot&) = delete;
    OtherRoot& operator=(const OtherRoot&) = delete;

private:
    bool set_;
};

int first_numa(hwloc_obj_t object) { return object->nodeset == nullptr ? -1 : hwloc_bitmap_first(object->nodeset); }

HostTopology copy_of(hwloc_topology_t loaded) {
    HostTopology topology;
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_CORE, object)) != nullptr;) {
        topology.cores.push_back({to_cpus(object->cpuset), first_numa(object)});
    }
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_NUMANODE, object)) != nullptr;) {
        topology.domains.push_back({static_cast<int>(object->os_index), to_cpus(object->cpuset),
                                    static_cast<std::int64_t>(object->attr->numanode.local_memory)});
    }
    std::ranges::sort(topology.cores, {}, [](const Core& core) {
        const auto cpus = core.cpus.cpus();
        return cpus.empty() ? threads::kCpusMax : cpus.front();
    });
    return topology;
}

}  // namespace

threads::CpuSet HostTopology::siblings(std::size_t cpu) const {
    threads::CpuSet self;
    self.add(cpu);
    for (const Core& core : cores) {
        if (core.cpus.contains(cpu)) return core.cpus.without(self);
    }
    return {};
}

int HostTopology::numa_of(std::size_t cpu) const {
    for (const NumaDomain& domain : domains) {
        if (domain.cpus.contains(cpu)) return domain.number;
    }
    return -1;
}

std::vector<int> HostTopology::numa_of(const threads::CpuSet& cpus) const {
    std::vector<int> all;
    for (const NumaDomain& domain : domains) {
        if (!domain.cpus.intersection(cpus).empty()) all.push_back(domain.number);
    }
    return all;
}

Known<HostTopology> read_topology(const HostFiles& files) {
    const OtherRoot other(files.root());
    hwloc_topology_t loaded = nullptr;
    if (hwloc_topology_init(&loaded) != 0) return {std::nullopt, false, "hwloc could not start"};
    // The whole host, not what a cpuset leaves of it: the profile may be for a wider one.
    // Files only: the CPUID of the processor that this runs on says nothing of another root.
    hwloc_topology_set_components(loaded, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    hwloc_topology_set_flags(loaded, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    Known<HostTopology> result;
    if (hwloc_topology_load(loaded) == 0) {
        result.value = copy_of(loaded);
    } else {
        result.why = "hwloc could not read the topology of " + (files.root().empty() ? "/" : files.root());
    }
    hwloc_topology_destroy(loaded);
    return result;
}

}  // namespace bayplan::host
