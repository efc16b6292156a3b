// Options of `bayplan load`, from its command line.
//
// Thread: plain data, fixed before the run.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bayplan/client.h"

namespace bayplan::cli {

struct LoadOptions {
    ClientOptions client;

    // Source: one of the two files, a name, or the three numbers.
    std::vector<std::string> openb;  // nodes, pods
    std::string workload;
    std::uint32_t nodes = 0;
    std::uint32_t pods = 0;
    std::uint32_t classes = 1;

    bool daemons = false;  // after the pods of the load, a DaemonSet's for each node

    std::string node_prefix;  // put before the names of nodes

    std::uint32_t applications = 1;
    std::string queue;  // empty: the daemon's default leaf
    std::uint32_t priorities = 1;
    double rate = 0;           // asks per second; 0: as fast as flow control lets
    std::uint32_t batch = 64;  // asks per message at most

    double churn = 0;                    // share of pods that are released once and asked for again
    double nack = 0;                     // share of pods whose first place is refused
    std::int64_t plugin_answer_ns = -1;  // < 0: pods need no plugin; else its answer takes so long
    double plugin_share = 1;             // of the pods: these need the plugin
    double plugin_refuses = 0;           // share of pods and nodes
    std::uint32_t device_claims = 0;     // devices of each node, of which each pod claims one; 0: no claims
    double claims_allocated = 0;         // share of pods whose claim has a device when the run begins, used by nobody
    std::int64_t release_after_ns = -1;  // < 0: pods stay (with churn: at once)
    std::int64_t grace_ns = 0;           // between a victim's being told to go and its being gone
    std::uint32_t nodes_lost = 0;
    std::int64_t pause_reads_ns = 0;
    std::uint64_t pause_after = 1;  // allocations
    std::uint64_t cut_after = 0;    // allocations between two cuts; 0: never
    std::uint32_t cuts = 1;

    bool serves_plugin() const { return plugin_answer_ns >= 0; }
    // Spread evenly over the pods.
    bool needs_plugin(std::uint32_t pod) const {
        return serves_plugin() && std::floor((pod + 1) * plugin_share) != std::floor(pod * plugin_share);
    }

    std::string journal;
    bool journal_sync = false;

    std::int64_t settle_ns = 0;
    bool wait_unschedulable = false;
    std::int64_t timeout_ns = 0;
    std::int64_t connect_timeout_ns = 0;
    std::int64_t idle_timeout_ns = 0;

    std::string json;
    std::string daemon_status;
    std::string daemon_config;  // not empty: the daemon is in this process, on a ring pair
    bool quiet = false;
};

}  // namespace bayplan::cli
