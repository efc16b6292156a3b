// A timeline as one page for a browser: the map of the nodes at every instant, with what was decided in it.
//
// The page's data are the state at the beginning and, for each instant in which something changed, the nodes that changed.
//
// Thread: one. Owns its texts; the dump must outlive it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/timeline.h"

namespace bayplan::sim {

class TimelinePage {
public:
    explicit TimelinePage(const kube::ClusterDump&);

    void add(const TimelineDecision&);
    // See Timeline::watch: what changed, after the decisions of the same instant.
    void see(std::int64_t now_ms, const LiveCluster&, const LiveCluster::Changes&);

    // False: it could not be written; errno says why.
    bool write_html(const std::string& path, const std::string& title, const TimelineSummary&) const;

private:
    using Amounts = std::vector<std::int64_t>;  // by resource
    struct Node {
        std::string name, zone, type;
        bool there = false;
        Amounts capacity, used;
    };
    struct Pod {
        std::size_t node = 0;  // its place in nodes_; kNowhere: it waits
        Amounts requests;
    };

    void see_node(const LiveCluster&, Text name);
    void see_pod(const LiveCluster&, const std::string& key);
    Amounts amounts(const std::vector<Amount>&) const;
    void end_frame(std::int64_t now_ms);
    void write_data(std::FILE*, const TimelineSummary&) const;

    std::vector<std::string> resources_;
    std::unordered_map<Text, std::size_t> column_of_;
    std::vector<Node> nodes_;
    std::vector<Node> at_first_;
    std::unordered_map<Text, std::size_t> node_of_;
    std::unordered_map<std::string, Pod> pods_;
    std::size_t waiting_ = 0;
    bool begun_ = false;
    std::set<std::size_t> touched_;  // nodes, since the last frame
    std::string decided_;            // JSON, since the last frame
    std::size_t decisions_ = 0;      // of the run
    std::string frames_;             // JSON
};

}  // namespace bayplan::sim
