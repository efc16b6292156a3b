// See table.h.
#include "terminal/table.h"

#include <algorithm>

#include "terminal/text.h"

namespace bayplan::terminal {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kCutMin = 4;    // no column is cut below that
constexpr std::size_t kWrapMin = 24;  // nor wrapped below that

// Widths of columns; 0: left out.
std::size_t total(const std::vector<std::size_t>& widths) {
    std::size_t sum = 0;
    for (const std::size_t width : widths) sum += width == 0 ? 0 : width + kGap.size();
    return sum < kGap.size() ? 0 : sum - kGap.size();
}

void fit(const std::vector<TableColumn>& columns, std::vector<std::size_t>& widths, std::size_t width) {
    const std::size_t whole = widths.back();
    if (columns.back().wraps && total(widths) > width) widths.back() = std::min(whole, kWrapMin);
    for (std::size_t at = columns.size(); at-- > 0 && total(widths) > width;) {
        if (columns[at].may_go) widths[at] = 0;
    }
    if (total(widths) <= width) {
        widths.back() += widths.back() == 0 ? 0 : std::min(whole - widths.back(), width - total(widths));
        return;
    }
    while (total(widths) > width) {
        const auto widest = std::ranges::max_element(widths);
        if (*widest <= kCutMin) return;
        *widest -= 1;
    }
}

}  // namespace

void Table::row(std::vector<std::string> cells) {
    std::ranges::transform(cells, cells.begin(), printable);
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths_in(std::size_t width, std::size_t rows) const {
    std::vector<std::size_t> widths;
    for (std::size_t at = 0; at < columns_.size(); ++at) {
        std::size_t widest = columns_of(columns_[at].head);
        for (std::size_t row = 0; row < rows; ++row) widest = std::max(widest, columns_of(rows_[row][at]));
        widths.push_back(widest);
    }
    if (width > 0) fit(columns_, widths, width);
    return widths;
}

std::vector<std::string> Table::without_room(std::size_t width, std::size_t rows_max) const {
    const std::vector<std::size_t> widths = widths_in(width, shown(rows_max));
    std::vector<std::string> heads;
    for (std::size_t at = 0; at < columns_.size(); ++at) {
        if (widths[at] == 0 && columns_[at].may_go) heads.push_back(columns_[at].head);
    }
    return heads;
}

std::string Table::fitted(std::size_t width, std::size_t rows_max) const {
    std::string out = text(width, rows_max);
    if (const auto gone = without_room(width, rows_max); !gone.empty()) {
        std::string line = "no room for ";
        for (const std::string& head : gone) line += (&head == &gone.front() ? "" : ", ") + head;
        out += wrapped(line + ": a wider terminal or -o json has them", width, 2) + "\n";
    }
    return out;
}

std::string Table::text(std::size_t width, std::size_t rows_max) const {
    const std::size_t rows = shown(rows_max);
    const std::vector<std::size_t> widths = widths_in(width, rows);
    const std::size_t before = total(widths) - widths.back();  // columns in front of the last one
    std::string out;
    const auto put = [&](auto cell_of) {
        std::string line;
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            if (widths[at] == 0) continue;
            const bool wraps = columns_[at].wraps && width > 0;
            const std::string cell =
                wraps ? wrapped(cell_of(at), before + widths[at], before) : cut(cell_of(at), widths[at]);
            const std::string space(widths[at] - std::min(widths[at], columns_of(cell)), ' ');
            line += line.empty() ? "" : kGap;
            line += columns_[at].right ? space + cell : cell + space;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    put([&](std::size_t at) { return columns_[at].head; });
    for (std::size_t row = 0; row < rows; ++row) {
        put([&](std::size_t at) { return rows_[row][at]; });
    }
    return out;
}

}  // namespace bayplan::terminal
