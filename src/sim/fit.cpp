// See fit.h.
#include "sim/fit.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "terminal/text.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kNodesShown = 5;

}  // namespace

void print_fit(std::FILE* out, const FitReport& report, std::size_t columns) {
    if (report.pod.empty()) return;
    std::string line =
        fmt::format("{}{} more pods like {} fit", report.more ? "at least " : "", report.fit, report.pod);
    if (report.fit > 0) {
        std::vector<std::pair<std::size_t, std::string>> nodes;
        for (const auto& [node, count] : report.by_node) nodes.emplace_back(count, node);
        std::ranges::stable_sort(nodes, [](const auto& one, const auto& other) { return one.first > other.first; });
        line += fmt::format(" on {} nodes: ", nodes.size());
        for (std::size_t index = 0; index < std::min(nodes.size(), kNodesShown); ++index) {
            line += fmt::format("{}{} on {}", index == 0 ? "" : ", ", nodes[index].first, nodes[index].second);
        }
        if (nodes.size() > kNodesShown) line += ", ...";
    }
    fmt::print(out, "\n{}\n", terminal::wrapped(line, columns, 2));
    if (report.message.empty()) return;
    fmt::print(out, "  {}\n", terminal::wrapped("the next one does not: " + report.message, columns, 2));
}

void write_fit(Markup& out, const FitReport& report) {
    if (report.pod.empty()) return;
    out.begin_object("fit");
    out.text("pod", report.pod);
    out.number("fit", static_cast<std::int64_t>(report.fit));
    out.flag("more", report.more);
    if (!report.message.empty()) out.text("message", report.message);
    out.begin_object("nodes");
    for (const auto& [node, count] : report.by_node) out.number(node, static_cast<std::int64_t>(count));
    out.end();
    out.end();
}

}  // namespace bayplan::sim
