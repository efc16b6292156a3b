// A table of texts that fits a width: first a column that wraps gets narrower; then columns that may be left out go, the last of
// them first; then the widest column is cut, marked by an ellipsis.
//
// Thread: its owner's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bayplan::terminal {

struct TableColumn {
    std::string head;
    bool right = false;   // numbers
    bool may_go = false;  // if there is no room
    bool wraps = false;   // goes on in lines below; the last column alone
};

class Table {
public:
    explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
    // As many cells as columns. Bytes that a terminal would take for commands are shown as '?'.
    void row(std::vector<std::string> cells);
    std::size_t rows() const { return rows_.size(); }

    // Lines, each at most so many columns wide (0: any width), at most so many rows (0: all).
    std::string text(std::size_t width, std::size_t rows_max = 0) const;
    // Heads of the columns that text(width, rows_max) leaves out.
    std::vector<std::string> without_room(std::size_t width, std::size_t rows_max = 0) const;

    // The text, and a line that names the columns left out, if there are any.
    std::string fitted(std::size_t width, std::size_t rows_max = 0) const;

private:
    // Of the columns in lines of this width; 0: left out.
    std::vector<std::size_t> widths_in(std::size_t width, std::size_t rows) const;
    std::size_t shown(std::size_t rows_max) const {
        return rows_max == 0 ? rows_.size() : std::min(rows_max, rows_.size());
    }

    std::vector<TableColumn> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace bayplan::terminal
