// A simulation as one page for a browser, with nothing outside of it: a map of the nodes by how full they are, before and
// after, decisions, and why pods wait. And the map alone, as a picture.
//
// Thread: one. Owns its texts; the dump must outlive it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "sim/reason_groups.h"
#include "sim/report.h"

namespace bayplan::sim {

class MapPage {
public:
    explicit MapPage(const kube::ClusterDump& dump) : dump_(dump) {}

    void add(const SimulatedDecision&);

    // False: it could not be written; errno says why.
    bool write_html(const std::string& path, const std::string& title, const Ending&) const;
    bool write_svg(const std::string& path, const Ending&) const;

private:
    struct Placed {
        std::string pod;
        std::string node;
        std::vector<std::string> victims;  // of a nomination
        bool nominated = false;
    };
    void write_data(std::FILE*, const Ending&) const;

    const kube::ClusterDump& dump_;
    std::vector<Placed> placed_;
    ReasonGroups reasons_;
    Totals totals_;
};

}  // namespace bayplan::sim
