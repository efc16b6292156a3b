// Rows that grow, names and requests that are kept.
//
// Thread: the engine's.
#include "queue_tree/amounts.h"

#include <algorithm>

namespace bayplan::queue_tree {

std::uint32_t ResourceNames::number_of(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    names_.emplace_back(name);
    numbers_.emplace(name, size() - 1);
    return size() - 1;
}

RequestId RequestTable::id_of(const Resources& resources) {
    std::vector<Amount> request;
    for (const auto& [name, value] : resources) {
        if (value > 0) request.push_back({names_.number_of(name), value});
    }
    std::ranges::sort(request);
    const auto [place, is_new] = ids_.emplace(request, RequestId{static_cast<std::uint32_t>(requests_.size())});
    if (is_new) requests_.push_back(std::move(request));
    return place->second;
}

void AmountRows::fit(std::uint32_t rows, std::uint32_t resources) {
    if (resources > width_) {
        std::vector<std::int64_t> wider(std::size_t{rows_} * resources, fill_);
        for (std::uint32_t row = 0; row < rows_; ++row) {
            std::ranges::copy((*this)[row], wider.begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * resources));
        }
        values_ = std::move(wider);
        width_ = resources;
    }
    if (rows > rows_) {
        rows_ = rows;
        values_.resize(std::size_t{rows_} * width_, fill_);
    }
}

void AmountRows::clear(std::uint32_t row) { std::ranges::fill((*this)[row], fill_); }

void write_row(const Resources& resources, ResourceNames& names, std::span<std::int64_t> row) {
    for (const auto& [name, value] : resources) row[names.number_of(name)] = value;
}

}  // namespace bayplan::queue_tree
