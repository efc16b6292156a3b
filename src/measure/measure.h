// One workload of the suite through an engine in this process, and through the plain scan as its peer. Of a load for
// the wire: the same load in process, for what the wire adds.
//
// Thread: the caller's; the engine has its own workers. Errors: `fault` of the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/latency.h"
#include "measure/wire_figures.h"
#include "options/engine_options.h"
#include "workload/bench_catalogue.h"

namespace bayplan::measure {

struct MeasureOptions {
    ExecutorKind executor = ExecutorKind::tbb;
    BatchPath path = BatchPath::automatic;
    TellerMode teller = TellerMode::thread;
    std::uint32_t workers = 1;
    int runs = 3;  // the least times of them count
    bool scan = true;
    bool latency = true;

    EngineOptions engine() const;
};

struct ScanFigures {
    double per_s = 0;        // by CPU time
    double ns_per_node = 0;  // CPU time of a look at one node
    std::string placements;
};

struct Measurement {
    std::string name;
    std::uint32_t nodes = 0;
    std::uint32_t pods = 0;
    double per_s_wall = 0;
    double per_s_cpu = 0;  // by CPU time of all threads
    double cores = 0;      // CPU time over wall time
    std::optional<Latency>
        latency;  // of messages of 64 asks, each applied and decided before the next; of single preemptions
    std::int64_t memory_bytes = 0;  // held by engine and driver at the end
    // Share of the blocks of nodes that a decision need not look at, neither its proposal nor its commit, because its
    // class remembers them.
    std::optional<double> cache_hit_rate;
    std::uint64_t batches_inline = 0;
    std::uint64_t batches_graph = 0;
    std::uint64_t batches_overlapped = 0;
    std::uint64_t batches_cut = 0;
    std::uint64_t placed = 0;
    std::uint64_t failed = 0;  // attempts
    std::uint64_t nominated = 0;
    std::uint64_t nodes_used = 0;
    std::string digest;
    std::string placements;  // hash of pod and node of every placement, in order; of preemptions: nominations, victims
    std::optional<ScanFigures> scan;
    std::optional<ScanFigures> vector_scan;  // of plain loads
    std::optional<WireFigures> wire;         // filled where the processes are started (src/cli)
    std::string fault;                       // empty: all runs agree, with one another and with the scan

    // Of CPU time per decision: the scan's over ours. 0 without a scan.
    double ratio() const { return scan && scan->per_s > 0 ? per_s_cpu / scan->per_s : 0; }
    // The same over the scan with vectors.
    double vector_ratio() const { return vector_scan && vector_scan->per_s > 0 ? per_s_cpu / vector_scan->per_s : 0; }
};

// `tell` hears what is done next: "run 1 of 3".
using Tell = std::function<void(const std::string&)>;
Measurement measure(const workload::BenchCase&, const MeasureOptions&, const Tell& tell);

}  // namespace bayplan::measure
