// Rows that grow, names and requests that are kept.
//
// Thread: the engine's.
#include "queue_tree/amounts.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan::queue_tree {

std::uint32_t ResourceNames::number_of(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    names_.emplace_back(name);
    numbers_.emplace(name, size() - 1);
    by_name_.clear();
    for (const auto& [known, number] : numbers_) by_name_.push_back(number);
    return size() - 1;
}

RequestId RequestTable::id_of(const Resources& resources) {
    std::vector<Amount> request;
    for (const auto& [name, value] : resources) {
        if (value > 0) request.push_back({names_.number_of(name), value});
    }
    std::ranges::sort(request);
    return id_of(request);
}

RequestId RequestTable::id_of(Request request) {
    const auto found = ids_.find(request);
    if (found != ids_.end()) {
        ++uses_[raw(found->second)];
        return found->second;
    }
    if (free_.empty()) {
        free_.push_back(RequestId{static_cast<std::uint32_t>(requests_.size())});
        requests_.emplace_back();
        needs_.emplace_back();
        uses_.push_back(0);
    }
    const RequestId id = free_.back();
    free_.pop_back();
    requests_[raw(id)].assign(request.begin(), request.end());
    needs_[raw(id)] = need_of(request);
    uses_[raw(id)] = 1;
    ids_.emplace(requests_[raw(id)], id);
    return id;
}

bool RequestTable::watch(std::span<const std::uint32_t> resources) {
    if (std::ranges::equal(resources, watched_)) return false;
    BP_CHECK_OP(resources.size(), <=, Room::kWidth);
    watched_.assign(resources.begin(), resources.end());
    for (std::size_t at = 0; at < requests_.size(); ++at) needs_[at] = need_of(requests_[at]);
    return true;
}

Room RequestTable::need_of(Request request) const {
    Room need;
    for (const Amount& amount : request) {
        const auto place = std::ranges::lower_bound(watched_, amount.resource);
        if (place == watched_.end() || *place != amount.resource) continue;
        need.amounts[static_cast<std::size_t>(place - watched_.begin())] = amount.value;
    }
    return need;
}

void RequestTable::release(RequestId id) {
    BP_CHECK_OP(uses_[raw(id)], >, 0U);
    if (--uses_[raw(id)] > 0) return;
    ids_.erase(ids_.find(Request(requests_[raw(id)])));
    requests_[raw(id)] = {};
    free_.push_back(id);
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
