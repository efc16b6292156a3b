// Rows of a comma-separated file with a header line: fields by column name, faults with file and
// line. Quotes are not known: none of the traces uses them, and a quote in a field is therefore a
// fault.
//
// Thread: the caller's. Owns the line it shows.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::workload {

class CsvReader {
public:
    // Opens the file and finds the columns in its header. A column whose name ends in `?` may be
    // missing.
    CsvReader(std::string path, std::vector<std::string_view> columns);

    // The next row; false at the end or at a fault. Empty lines are skipped.
    bool next();

    // Fields of the present row, by position in `columns`. A column that is missing is empty.
    std::string_view text(std::size_t column) const;
    // False, with the fault set, if it is not a whole number from 0 to `max`.
    bool number(std::size_t column, std::int64_t max, std::int64_t& value);

    // Says what is wrong with the present row.
    void fail(std::string_view what);
    const std::string& error() const { return error_; }  // empty: none

private:
    void read_header();
    bool split();

    static constexpr std::size_t kMissing = static_cast<std::size_t>(-1);

    std::string path_;
    std::vector<std::string_view> columns_;
    std::vector<std::size_t> places_;  // of each column in a row
    std::ifstream file_;
    std::string line_;
    std::vector<std::string_view> fields_;
    std::size_t width_ = 0;
    std::uint64_t line_number_ = 0;
    std::string error_;
};

}  // namespace bayplan::workload
