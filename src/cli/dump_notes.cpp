// See dump_notes.h.
#include "cli/dump_notes.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "terminal/text.h"

namespace bayplan::cli {

namespace {

constexpr std::size_t kLinesShown = 100;
constexpr std::size_t kAlike = 3;  // more of one fault are told as one line

void print_lines(const std::vector<std::string>& lines) {
    const std::size_t columns = terminal::size_of(STDERR_FILENO).columns;
    for (std::size_t index = 0; index < std::min(lines.size(), kLinesShown); ++index) {
        fmt::print(stderr, "{}\n", terminal::fitted_lines(lines[index], columns));
    }
    if (lines.size() > kLinesShown) {
        fmt::print(stderr, "... and {} more\n", lines.size() - kLinesShown);
    }
}

std::vector<std::string> fault_lines(const std::vector<kube::ObjectFault>& faults) {
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const kube::ObjectFault& fault : faults) ++counts[{fault.path, fault.what}];
    std::vector<std::string> lines;
    for (const kube::ObjectFault& fault : faults) {
        std::size_t& count = counts[{fault.path, fault.what}];
        if (count == 0) continue;  // told already
        lines.push_back(fault.to_string());
        if (count > kAlike) {
            lines.back() += fmt::format(" (and so for {} objects more)", count - 1);
            count = 0;
        }
    }
    return lines;
}

}  // namespace

void tell(const std::vector<kube::ObjectFault>& faults) { print_lines(fault_lines(faults)); }

bool tell_faults(const kube::ClusterDump& dump, const std::vector<std::string>& refused) {
    std::vector<std::string> lines = fault_lines(dump.faults());
    for (const std::string& line : refused) lines.push_back("refused: " + line);
    print_lines(lines);
    return !lines.empty() || dump.notes().any_misspelt();
}

std::vector<std::string> unused_lines(const kube::ClusterDump& dump) {
    const kube::DumpCounts& counts = dump.counts();
    const std::pair<std::size_t, const char*> kinds[] = {{counts.skipped_no_node, "on nodes that no file has"},
                                                         {counts.skipped_not_ours, "pending, but another scheduler's"},
                                                         {counts.skipped_deleting, "pending, but being deleted"}};
    std::vector<std::string> lines;
    for (const auto& [count, what] : kinds) {
        if (count > 0) lines.push_back(fmt::format("left out: {} pods {}", count, what));
    }
    for (std::string& line : dump.notes().lines()) lines.push_back(std::move(line));
    return lines;
}

void tell_unused(const kube::ClusterDump& dump, const std::string& of) {
    std::vector<std::string> lines = unused_lines(dump);
    if (!of.empty()) {
        for (std::string& line : lines) line.insert(0, of + ": ");
    }
    print_lines(lines);
}

}  // namespace bayplan::cli
