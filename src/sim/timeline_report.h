// Report of a timeline's decisions: a JSON object a line, a YAML document, or a table for people (README.md).
//
// Thread: one. Writes as the decisions come.
#pragma once

#include <cstdio>
#include <memory>

#include "sim/report.h"
#include "sim/timeline.h"

namespace bayplan::sim {

class TimelineReport {
public:
    virtual ~TimelineReport() = default;
    virtual void add(const TimelineDecision&) = 0;
    virtual void finish(const TimelineSummary&) = 0;
};

std::unique_ptr<TimelineReport> make_timeline_report(Format, std::FILE*, const ReportLook&);

}  // namespace bayplan::sim
