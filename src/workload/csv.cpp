// See csv.h.
#include "workload/csv.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace bayplan::workload {

CsvReader::CsvReader(std::string path, std::vector<std::string_view> columns)
    : path_(std::move(path)), columns_(std::move(columns)), file_(path_) {
    if (!file_) {
        error_ = fmt::format("{}: {}", path_, std::strerror(errno));
        return;
    }
    read_header();
}

void CsvReader::read_header() {
    ++line_number_;
    if (!std::getline(file_, line_)) {
        fail("is empty, a header line is expected");
        return;
    }
    split();
    width_ = fields_.size();
    for (std::string_view& column : columns_) {
        const bool optional = column.ends_with('?');
        column.remove_suffix(optional ? 1 : 0);
        const auto found = std::ranges::find(fields_, column);
        if (found == fields_.end() && !optional) {
            fail(fmt::format("column `{}` is missing", column));
        }
        places_.push_back(found == fields_.end() ? kMissing : static_cast<std::size_t>(found - fields_.begin()));
    }
}

bool CsvReader::next() {
    while (error_.empty() && std::getline(file_, line_)) {
        ++line_number_;
        if (line_.empty() || line_ == "\r") {
            continue;
        }
        if (!split()) {
            return false;
        }
        if (fields_.size() != width_) {
            fail(fmt::format("{} fields, the header has {}", fields_.size(), width_));
            return false;
        }
        return true;
    }
    if (error_.empty() && file_.bad()) {
        fail("cannot be read");
    }
    return false;
}

bool CsvReader::split() {
    if (line_.ends_with('\r')) {
        line_.pop_back();
    }
    fields_.clear();
    if (line_.find('"') != std::string::npos) {
        fail("quoted fields are not known");
        return false;
    }
    std::string_view rest = line_;
    for (std::size_t comma = rest.find(','); comma != std::string_view::npos; comma = rest.find(',')) {
        fields_.push_back(rest.substr(0, comma));
        rest.remove_prefix(comma + 1);
    }
    fields_.push_back(rest);
    return true;
}

std::string_view CsvReader::text(std::size_t column) const {
    const std::size_t place = places_[column];
    return place == kMissing ? std::string_view() : fields_[place];
}

bool CsvReader::number(std::size_t column, std::int64_t max, std::int64_t& value) {
    const std::string_view field = text(column);
    const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (code != std::errc() || end != field.data() + field.size() || value < 0 || value > max) {
        fail(fmt::format("{}: `{}` is not a whole number from 0 to {}", columns_[column], field, max));
        return false;
    }
    return true;
}

void CsvReader::fail(std::string_view what) {
    if (error_.empty()) {
        error_ = fmt::format("{}:{}: {}", path_, line_number_, what);
    }
}

}  // namespace bayplan::workload
