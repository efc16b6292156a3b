// Report of a simulation's decisions, for people (a table) and for programs (JSON, YAML: see
// README.md).
//
// Thread: one. Writes as the decisions come.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/simulation.h"

namespace bayplan::sim {

class Report {
public:
    virtual ~Report() = default;
    virtual void add(const SimulatedDecision&) = 0;
    // The totals, the queues where there are any, and the end of the document.
    virtual void finish(const std::vector<QueueReport>&) = 0;
};

enum class Format { table, json, yaml };

// `pod_width`: of the longest name to come; for the table.
std::unique_ptr<Report> make_report(Format, std::FILE*, std::size_t pod_width);

// How many pods ended how: of a pod with several decisions the last counts.
class Totals {
public:
    void add(const SimulatedDecision&);
    std::size_t scheduled() const { return count(Outcome::scheduled); }
    std::size_t nominated() const { return count(Outcome::nominated); }
    std::size_t unschedulable() const { return count(Outcome::unschedulable); }
    std::size_t gated() const { return count(Outcome::gated); }
    std::size_t reserved() const { return count(Outcome::reserved); }
    std::size_t queued() const { return count(Outcome::queued); }
    std::size_t errors() const { return count(Outcome::error); }

private:
    std::size_t count(Outcome outcome) const { return counts_[static_cast<std::size_t>(outcome)]; }

    std::size_t counts_[8] = {};
    std::unordered_map<std::string, Outcome> without_place_;  // pods that may be decided again
};

std::unique_ptr<Report> make_table(std::FILE*, std::size_t pod_width);

}  // namespace bayplan::sim
