// See workload_list.h.
#include "cli/workload_list.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "terminal/table.h"
#include "terminal/text.h"

namespace bayplan::cli {

namespace {

void print_json(const std::vector<ListedWorkload>& all) {
    boost::json::array rows;
    for (const ListedWorkload& one : all) {
        rows.push_back(boost::json::object{
            {"name", one.name}, {"nodes", one.nodes}, {"pods", one.pods}, {"summary", one.summary}});
    }
    fmt::print("{}\n", boost::json::serialize(rows));
}

void print_lines(const std::vector<ListedWorkload>& all) {
    std::size_t width = 0;
    for (const ListedWorkload& one : all) width = std::max(width, one.name.size());
    for (const ListedWorkload& one : all) {
        fmt::print("{:<{}} {:>6} nodes {:>7} pods  {}\n", one.name, width, one.nodes, one.pods, one.summary);
    }
}

}  // namespace

void print_workloads(const std::vector<ListedWorkload>& all, bool as_json) {
    const std::size_t columns = terminal::size_of(STDOUT_FILENO).columns;
    if (as_json) return print_json(all);
    if (columns == 0) return print_lines(all);
    terminal::Table table({{"WORKLOAD"}, {"NODES", true, true}, {"PODS", true, true}, {"SUMMARY", false, false, true}});
    for (const ListedWorkload& one : all) {
        table.row({one.name, std::to_string(one.nodes), std::to_string(one.pods), one.summary});
    }
    fmt::print("{}", table.fitted(columns));
}

}  // namespace bayplan::cli
