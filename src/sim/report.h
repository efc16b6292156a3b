// Report of a simulation's decisions, for people (a table, or every decision: wide) and for programs (CSV, JSON, YAML: see
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

#include "sim/cluster_use.h"
#include "sim/simulation.h"
#include "terminal/text.h"

namespace bayplan::sim {

// Told when all decisions are.
struct Ending {
    std::vector<QueueReport> queues;   // where there are any
    UseReport use;                     // empty: nothing was placed
    std::vector<std::string> what_if;  // changes of the dump, and their outcome
    FitReport fit;
    std::string interrupted;          // "interrupted after ..."; empty: all was decided
    std::vector<std::string> unused;  // parts of the input that were not used, for programs; people read standard error
};

class Report {
public:
    virtual ~Report() = default;
    virtual void add(const SimulatedDecision&) = 0;
    // The totals, and the end of the document.
    virtual void finish(const Ending&) = 0;
};

enum class Format { table, wide, csv, json, yaml };

// How the forms for people look.
struct ReportLook {
    std::size_t pod_width = 0;  // of the longest name to come
    std::size_t columns = 0;    // of the terminal; 0: any width
    terminal::Colours colours;
};

std::unique_ptr<Report> make_report(Format, std::FILE*, const ReportLook&);

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
    std::size_t waiting() const { return count(Outcome::waiting); }
    std::size_t rejected() const { return count(Outcome::rejected); }
    std::size_t errors() const { return count(Outcome::error); }
    // "3 pods: 2 scheduled, 1 unschedulable, 0 gated", with what else there is.
    std::string text() const;
    std::size_t pods() const;

private:
    std::size_t count(Outcome outcome) const { return counts_[static_cast<std::size_t>(outcome)]; }

    std::size_t counts_[static_cast<std::size_t>(Outcome::error) + 1] = {};
    std::unordered_map<std::string, Outcome> without_place_;  // pods that may be decided again
};

// Nominated, or with a node that it has or waits for.
bool finds_room(Outcome);

// Changes of the dump and their outcome, a line each.
void print_what_if(std::FILE*, const std::vector<std::string>& lines, std::size_t columns);

std::unique_ptr<Report> make_table(std::FILE*, const ReportLook&);
std::unique_ptr<Report> make_wide(std::FILE*, const ReportLook&);
std::unique_ptr<Report> make_csv(std::FILE*);

}  // namespace bayplan::sim
