// A table of texts that fits a width: first columns that may be left out go, the last of them first; then the widest column is
// cut, marked by an ellipsis.
//
// Thread: its owner's.
#pragma once

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
};

class Table {
public:
    explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
    // As many cells as columns. Bytes that a terminal would take for commands are shown as '?'.
    void row(std::vector<std::string> cells);
    std::size_t rows() const { return rows_.size(); }

    // Lines, each at most so many columns wide (0: any width), at most so many rows (0: all).
    std::string text(std::size_t width, std::size_t rows_max = 0) const;

private:
    std::vector<TableColumn> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace bayplan::terminal
