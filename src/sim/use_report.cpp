// See use_report.h.
#include "sim/use_report.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "kube/resource_names.h"
#include "terminal/table.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kNodesByRow = 20;
constexpr std::size_t kGroupsShown = 15;

std::string percent(std::int64_t used, std::int64_t capacity) {
    if (capacity == 0) return used == 0 ? "-" : "over";
    return fmt::format("{:.0f}%", 100.0 * static_cast<double>(used) / static_cast<double>(capacity));
}

std::string before_and_after(const Use& use) {
    if (use.capacity == 0 && use.before == 0 && use.after == 0) return "-";
    if (use.before == use.after) return percent(use.after, use.capacity);
    return percent(use.before, use.capacity) + " > " + percent(use.after, use.capacity);
}

// The columns that all these tables share.
std::vector<terminal::TableColumn> columns_for(const UseReport& report, std::string first) {
    std::vector<terminal::TableColumn> columns{{std::move(first)}, {"NODES", true}};
    for (const std::string& resource : report.resources) {
        columns.push_back({resource, true, columns.size() > 3});
    }
    return columns;
}

void add_row(terminal::Table& table, const UseRow& row) {
    std::vector<std::string> cells{row.name, std::to_string(row.nodes)};
    for (const Use& use : row.uses) cells.push_back(before_and_after(use));
    table.row(std::move(cells));
}

double share(const UseRow& row) {
    double most = 0;
    for (const Use& use : row.uses) {
        if (use.capacity > 0) most = std::max(most, static_cast<double>(use.after) / static_cast<double>(use.capacity));
    }
    return most;
}

// The fullest first, as many as are read; of nodes, zones or types.
void add_rows(terminal::Table& table, std::vector<UseRow> rows, std::size_t shown, const char* what) {
    std::ranges::stable_sort(rows, std::greater<>(), share);
    for (std::size_t index = 0; index < std::min(rows.size(), shown); ++index) {
        rows[index].name = fmt::format("  {}", rows[index].name);
        add_row(table, rows[index]);
    }
    if (rows.size() > shown) {
        std::vector<std::string> cells{fmt::format("  and {} {} less full", rows.size() - shown, what)};
        cells.resize(2 + rows.front().uses.size());
        table.row(std::move(cells));
    }
}

// Nodes by how full a resource is: the upper end of each range in percent.
constexpr std::array kRanges{50, 80, 95, 100};

std::size_t range_of(std::int64_t used, std::int64_t capacity) {
    for (std::size_t range = 0; range < kRanges.size() - 1; ++range) {
        if (100.0 * static_cast<double>(used) < kRanges[range] * static_cast<double>(capacity)) return range;
    }
    return kRanges.size() - 1;
}

void add_ranges(terminal::Table& table, const UseReport& report) {
    int from = 0;
    for (std::size_t range = 0; range < kRanges.size(); ++range) {
        const std::string upto = range + 1 == kRanges.size() ? " and more" : fmt::format(" to {}%", kRanges[range]);
        std::vector<std::string> cells{fmt::format("  nodes that are {}%{} full", from, upto), ""};
        for (std::size_t column = 0; column < report.resources.size(); ++column) {
            std::array<std::size_t, 2> counts{};
            for (const UseRow& node : report.nodes) {
                const Use& use = node.uses[column];
                if (use.capacity == 0) continue;
                counts[0] += range_of(use.before, use.capacity) == range ? 1 : 0;
                counts[1] += range_of(use.after, use.capacity) == range ? 1 : 0;
            }
            cells.push_back(counts[0] == counts[1] ? std::to_string(counts[1])
                                                   : fmt::format("{} > {}", counts[0], counts[1]));
        }
        table.row(std::move(cells));
        from = kRanges[range];
    }
}

void heading(terminal::Table& table, const UseReport& report, const char* text) {
    std::vector<std::string> cells{text};
    cells.resize(2 + report.resources.size());
    table.row(std::move(cells));
}

// Nodes without the label are one group, which says nothing.
bool worth_telling(const std::vector<UseRow>& groups) {
    return groups.size() > 1 || (groups.size() == 1 && groups.front().name != "-");
}

void write_row(Markup& out, const UseReport& report, std::string_view name, const UseRow& row, bool of_one) {
    out.begin_object(name);
    if (!of_one) out.number("nodes", static_cast<std::int64_t>(row.nodes));
    for (std::size_t column = 0; column < report.resources.size(); ++column) {
        const Use& use = row.uses[column];
        if (use.capacity == 0 && use.before == 0 && use.after == 0) continue;
        out.begin_object(report.resources[column]);
        out.number("capacity", use.capacity);
        out.number("before", use.before);
        out.number("after", use.after);
        out.end();
    }
    out.end();
}

}  // namespace

std::string amount_text(std::string_view resource, std::int64_t amount) {
    if (resource == kube::kCpuName) {
        return amount % 1000 == 0 ? std::to_string(amount / 1000) : fmt::format("{}m", amount);
    }
    const bool bytes =
        resource == kube::kMemoryName || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
    constexpr std::array kUnits{"", "Ki", "Mi", "Gi", "Ti"};
    std::size_t unit = 0;
    std::int64_t left = amount;
    for (; bytes && unit + 1 < kUnits.size() && left != 0 && left % 1024 == 0; ++unit) left /= 1024;
    if (bytes && unit < 2 && std::abs(amount) >= std::int64_t{1} << 20) {
        return fmt::format("{:.1f}Mi", static_cast<double>(amount) / (1 << 20));
    }
    return fmt::format("{}{}", left, kUnits[unit]);
}

void print_use(std::FILE* out, const UseReport& report, std::size_t columns) {
    if (report.all.nodes == 0) return;
    terminal::Table table(columns_for(report, "USE, BEFORE > AFTER"));
    add_row(table, report.all);
    if (worth_telling(report.zones)) {
        heading(table, report, "by zone");
        add_rows(table, report.zones, kGroupsShown, "zones");
    }
    if (worth_telling(report.types)) {
        heading(table, report, "by instance type");
        add_rows(table, report.types, kGroupsShown, "types");
    }
    heading(table, report, "by node");
    if (report.nodes.size() <= kNodesByRow) {
        add_rows(table, report.nodes, kNodesByRow, "nodes");
    } else {
        add_ranges(table, report);
    }
    fmt::print(out, "\n{}", table.fitted(columns));
}

void write_use(Markup& out, const UseReport& report) {
    if (report.all.nodes == 0) return;
    out.begin_object("use");
    write_row(out, report, "all", report.all, false);
    for (const auto& [name, rows] :
         {std::pair("zones", &report.zones), std::pair("types", &report.types), std::pair("nodes", &report.nodes)}) {
        if (rows != &report.nodes && !worth_telling(*rows)) continue;
        out.begin_object(name);
        for (const UseRow& row : *rows) write_row(out, report, row.name, row, rows == &report.nodes);
        out.end();
    }
    out.end();
}

}  // namespace bayplan::sim
