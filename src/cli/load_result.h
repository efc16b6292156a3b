// Results of a load: the figures of its report.
//
// Thread: plain data, filled when the run has ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bayplan/client.h"

namespace bayplan::cli {

enum class LoadEnd : std::uint8_t { settled, timed_out, interrupted, refused, unreachable, broken };

struct LoadResult {
    LoadEnd end = LoadEnd::settled;
    std::string why;  // of an end that is not `settled`

    // These five: every pod is in exactly one of the latter four.
    std::uint64_t asks = 0;
    std::uint64_t placed = 0;    // finished ones included
    std::uint64_t unplaced = 0;  // with a reason
    std::uint64_t pending = 0;   // the run ended before there was a word
    std::uint64_t lost = 0;      // applied by the daemon, and never a word

    std::uint64_t duplicates = 0;
    std::vector<std::string> overcommitted;  // nodes
    std::map<std::string, std::uint64_t> reasons;
    std::uint64_t restored = 0;  // places taken from the journal
    std::uint64_t finished = 0;  // released for good
    std::uint64_t renewed = 0;   // gone and asked for again under a new key
    std::uint64_t nacked = 0;
    std::uint64_t plugin_answers = 0;
    std::uint64_t plugin_refusals = 0;
    std::uint64_t preempted = 0;    // victims: told to go for a pod of higher priority
    std::uint64_t nominations = 0;  // pods that were told for which node they wait
    std::uint64_t claims_given_back = 0;
    std::uint64_t allocations = 0;  // answers in this run
    std::uint64_t nodes_lost = 0;
    std::uint64_t rejected_other = 0;  // nodes, applications, messages; the first is `first_rejection`
    std::string first_rejection;

    double seconds = 0;  // from the first ask to the last allocation
    double pods_per_s = 0;
    double p50_us = 0;
    double p99_us = 0;
    double p999_us = 0;

    // The same of the pods that need no plugin, if only some do.
    struct WithoutPlugin {
        double pods_per_s = 0;  // until the last of them
        double p50_us = 0;
        double p99_us = 0;
    };
    std::optional<WithoutPlugin> without_plugin;

    // CPU seconds of each process per second of `seconds`; nothing if it is not known.
    std::optional<double> daemon_cores;
    std::optional<double> shim_cores;
    bool cores_include_shim = false;  // both in one process: both are the sum
    // Involuntary context switches of each process from before the first ask to the end of the run: how often
    // something else took the CPU of one of its threads. Nothing if it is not known.
    std::optional<std::uint64_t> switches_of_daemon;
    std::optional<std::uint64_t> switches_of_shim;

    std::string port;  // the shim's own
    std::vector<std::pair<std::string, std::uint64_t>> port_counters;
    ClientCounters client;

    // Nothing lost, nothing twice, nowhere too much, and everybody heard.
    bool good() const {
        return end == LoadEnd::settled && lost == 0 && pending == 0 && duplicates == 0 && overcommitted.empty() &&
               rejected_other == 0 && placed + unplaced + pending + lost == asks;
    }
};

}  // namespace bayplan::cli
