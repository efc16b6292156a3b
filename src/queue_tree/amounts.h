// Resources by dense number, and amounts of them in rows: of queues, of limits, of applications. A request is a handful of
// pairs; what asks request alike is kept once. Nothing here allocates after a row or a resource was met once.
//
// Thread: the engine's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "queue_config/resources.h"
#include "queue_tree/prefetch.h"
#include "queue_tree/room.h"

namespace bayplan::queue_tree {

using queue_config::Missing;
using queue_config::Resources;

// Of a maximum: any amount.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
// Of a guarantee or a measure: the resource is not named.
inline constexpr std::int64_t kNotNamed = -1;

struct Amount {
    std::uint32_t resource = 0;
    std::int64_t value = 0;
    auto operator<=>(const Amount&) const = default;
};
using Request = std::span<const Amount>;  // by resource, values above zero

enum class RequestId : std::uint32_t {};
constexpr std::uint32_t raw(RequestId id) { return static_cast<std::uint32_t>(id); }

// Names to numbers, never given back: resources of a cluster are few.
class ResourceNames {
public:
    std::uint32_t number_of(std::string_view name);
    const std::string& name(std::uint32_t resource) const { return names_[resource]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
    // In the order of their names: orders hang on it, and not on which came first.
    const std::vector<std::uint32_t>& by_name() const { return by_name_; }

private:
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> by_name_;
};

class RequestTable {
public:
    explicit RequestTable(ResourceNames& names) : names_(names) {}

    // Each call is one use more, which release() ends; without a use an id is given to another request.
    RequestId id_of(const Resources&);
    // Sorted by resource, each there once, values above zero.
    RequestId id_of(Request);
    void release(RequestId);
    std::size_t in_use() const { return ids_.size(); }
    Request operator[](RequestId id) const { return requests_[raw(id)]; }

    // Resources that maxima name, at most Room::kWidth of them; true: they are others than before, and so are all needs.
    bool watch(std::span<const std::uint32_t> resources);
    std::span<const std::uint32_t> watched() const { return watched_; }
    // Of these.
    const Room& need(RequestId id) const { return needs_[raw(id)]; }

private:
    Room need_of(Request) const;
    struct Before {
        using is_transparent = void;
        bool operator()(Request a, Request b) const { return std::ranges::lexicographical_compare(a, b); }
    };

    ResourceNames& names_;
    std::map<std::vector<Amount>, RequestId, Before> ids_;
    std::vector<std::vector<Amount>> requests_;
    std::vector<Room> needs_;
    std::vector<std::uint32_t> watched_;  // sorted
    std::vector<std::uint32_t> uses_;
    std::vector<RequestId> free_;
};

// Rows of one amount per resource; a new row, and a new resource in all rows, starts with `fill`.
class AmountRows {
public:
    explicit AmountRows(std::int64_t fill) : fill_(fill) {}

    void fit(std::uint32_t rows, std::uint32_t resources);
    std::span<std::int64_t> operator[](std::uint32_t row) {
        return {values_.data() + std::size_t{row} * width_, width_};
    }
    std::span<const std::int64_t> operator[](std::uint32_t row) const {
        return {values_.data() + std::size_t{row} * width_, width_};
    }
    void clear(std::uint32_t row);

private:
    std::int64_t fill_;
    std::uint32_t width_ = 0;
    std::uint32_t rows_ = 0;
    std::vector<std::int64_t> values_;
};

// Several tables of such rows, each with its own `fill`; the rows of one number lie side by side, as who looks at one looks
// at the others.
template <std::size_t kTables>
class AmountTables {
public:
    explicit AmountTables(const std::array<std::int64_t, kTables>& fill) : fill_(fill) {}

    void fit(std::uint32_t rows, std::uint32_t resources) {
        if (rows <= rows_ && resources <= width_) return;
        const std::uint32_t old_rows = rows_;
        const std::uint32_t old_width = width_;
        rows_ = std::max(rows, rows_);
        width_ = std::max(resources, width_);
        if (width_ == old_width) {  // rows stay where they are
            values_.resize(std::size_t{rows_} * kTables * width_);
            for (std::uint32_t row = old_rows; row < rows_; ++row) clear(row);
            return;
        }
        const std::vector<std::int64_t> before =
            std::exchange(values_, std::vector<std::int64_t>(std::size_t{rows_} * kTables * width_));
        for (std::uint32_t row = 0; row < rows_; ++row) {
            clear(row);
            for (std::size_t table = 0; row < old_rows && table < kTables; ++table) {
                std::copy_n(before.data() + (std::size_t{row} * kTables + table) * old_width, old_width,
                            (*this)(table, row).data());
            }
        }
    }
    std::span<std::int64_t> operator()(std::size_t table, std::uint32_t row) {
        return {values_.data() + (std::size_t{row} * kTables + table) * width_, width_};
    }
    std::span<const std::int64_t> operator()(std::size_t table, std::uint32_t row) const {
        return {values_.data() + (std::size_t{row} * kTables + table) * width_, width_};
    }
    void fetch_row(std::uint32_t row) const {
        const std::size_t width = kTables * width_;
        const std::size_t at = row * width;
        if (at < values_.size()) fetch(values_[at], width * sizeof(std::int64_t));
    }
    void clear(std::size_t table, std::uint32_t row) { std::ranges::fill((*this)(table, row), fill_[table]); }

private:
    void clear(std::uint32_t row) {
        for (std::size_t table = 0; table < kTables; ++table) clear(table, row);
    }

    std::array<std::int64_t, kTables> fill_;
    std::uint32_t width_ = 0;
    std::uint32_t rows_ = 0;
    std::vector<std::int64_t> values_;
};

// Of a configuration into a row that was cleared.
void write_row(const Resources&, ResourceNames&, std::span<std::int64_t> row);

inline void add(std::span<std::int64_t> row, Request request, int sign) {
    for (const Amount& amount : request) row[amount.resource] += sign * amount.value;
}

// Would `used` with the request stay within `max`? Amounts are at most 2^53, so that sums do not overflow.
inline bool fits(std::span<const std::int64_t> used, std::span<const std::int64_t> max, Request request) {
    for (const Amount& amount : request) {
        if (used[amount.resource] + amount.value > max[amount.resource]) return false;
    }
    return true;
}

}  // namespace bayplan::queue_tree
