// What a simulation decided, for people (a table) and for programs (JSON, YAML: see README.md).
//
// Thread: one. Writes as the decisions come.
#pragma once

#include <cstdio>
#include <memory>
#include <string_view>

#include "sim/simulation.h"

namespace bayplan::sim {

class Report {
public:
    virtual ~Report() = default;
    virtual void add(const Decision&) = 0;
    virtual void finish() = 0;  // the totals, and the end of the document
};

enum class Format { table, json, yaml };

// `pod_width`: of the longest name to come; for the table.
std::unique_ptr<Report> make_report(Format, std::FILE*, std::size_t pod_width);

// How many pods ended how: of a pod with several decisions the last counts.
class Totals {
public:
    void add(const Decision&);
    std::size_t scheduled() const { return scheduled_; }
    std::size_t unschedulable() const { return unschedulable_; }
    std::size_t gated() const { return gated_; }

private:
    std::size_t scheduled_ = 0;
    std::size_t unschedulable_ = 0;
    std::size_t gated_ = 0;
};

std::unique_ptr<Report> make_table(std::FILE*, std::size_t pod_width);

}  // namespace bayplan::sim
