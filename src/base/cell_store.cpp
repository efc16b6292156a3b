// Slabs, their free lists and their numbers; see cell_store.h.
#include "base/cell_store.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace bayplan {

namespace {

// 4, 8 ... 64 bytes, then eight sizes to each doubling.
constexpr std::uint32_t kFine = 16;
constexpr std::uint32_t kFineStep = 4;
constexpr std::uint32_t kFineMax = kFine * kFineStep;
constexpr std::uint32_t kPerDoubling = 8;
constexpr std::uint32_t kDoublings = 4;  // up to 1,024 bytes
constexpr std::uint32_t kClasses = kFine + kPerDoubling * kDoublings;

}  // namespace

std::uint32_t CellStore::size_class(std::size_t bytes) {
    if (bytes <= kFineMax) {
        return static_cast<std::uint32_t>((bytes - 1) / kFineStep);
    }
    std::uint32_t found = kFine;
    while (found < kClasses && bytes_of(found) < bytes) {
        ++found;
    }
    return found;
}

std::uint32_t CellStore::bytes_of(std::uint32_t size_class) {
    if (size_class < kFine) {
        return (size_class + 1) * kFineStep;
    }
    const std::uint32_t beyond = size_class - kFine;
    const std::uint32_t base = kFineMax << beyond / kPerDoubling;
    return base + base / kPerDoubling * (beyond % kPerDoubling + 1);
}

std::uint32_t& CellStore::first_of(std::uint32_t cell_bytes) {
    roomy_.resize(kClasses, kNone);
    return roomy_[size_class(cell_bytes)];
}

std::uint32_t CellStore::add_slab(std::uint32_t cell_bytes, std::uint32_t cells) {
    std::uint32_t number = static_cast<std::uint32_t>(slabs_.size());
    if (absent_.empty()) {
        BP_CHECK_OP(number, <, UINT32_MAX / kCellsMax);
        slabs_.emplace_back();
    } else {
        number = absent_.back();
        absent_.pop_back();
    }
    Slab& slab = slabs_[number];
    slab.data = std::make_unique_for_overwrite<char[]>(std::size_t{cell_bytes} * cells);
    slab.cell_bytes = cell_bytes;
    slab.cells = static_cast<std::uint16_t>(cells);
    bytes_ += std::size_t{cell_bytes} * cells;
    return number;
}

void CellStore::give_back(std::uint32_t number) {
    bytes_ -= std::size_t{slabs_[number].cell_bytes} * slabs_[number].cells;
    slabs_[number] = Slab{};
    absent_.push_back(number);
}

void CellStore::link(std::uint32_t number) {
    std::uint32_t& first = first_of(slabs_[number].cell_bytes);
    slabs_[number].next = first;
    slabs_[number].previous = kNone;
    if (first != kNone) {
        slabs_[first].previous = number;
    }
    first = number;
}

void CellStore::unlink(std::uint32_t number) {
    const Slab& slab = slabs_[number];
    (slab.previous == kNone ? first_of(slab.cell_bytes) : slabs_[slab.previous].next) = slab.next;
    if (slab.next != kNone) {
        slabs_[slab.next].previous = slab.previous;
    }
}

CellStore::Cell CellStore::add(std::size_t bytes) {
    BP_CHECK_OP(bytes, >, 0u);
    const std::uint32_t wanted = size_class(bytes);
    if (wanted == kClasses) {
        const std::uint32_t number = add_slab(static_cast<std::uint32_t>(bytes), 1);
        slabs_[number].live = 1;
        return number * kCellsMax;
    }
    const std::uint32_t cell_bytes = bytes_of(wanted);
    if (first_of(cell_bytes) == kNone) {
        link(add_slab(cell_bytes, std::min(kCellsMax, kSlabBytes / cell_bytes)));
    }
    const std::uint32_t number = first_of(cell_bytes);
    Slab& slab = slabs_[number];
    std::uint32_t at = slab.first_free;
    if (at == kNoCell) {
        at = slab.fresh++;
    } else {
        std::memcpy(&slab.first_free, slab.data.get() + std::size_t{at} * cell_bytes, sizeof slab.first_free);
    }
    if (++slab.live == slab.cells) {
        unlink(number);
    }
    return number * kCellsMax + at;
}

void CellStore::remove(Cell cell) {
    const std::uint32_t number = cell / kCellsMax;
    Slab& slab = slabs_[number];
    BP_CHECK_OP(slab.live, >, 0u);
    const bool was_full = slab.live-- == slab.cells;
    if (size_class(slab.cell_bytes) == kClasses) {
        give_back(number);
        return;
    }
    std::memcpy(at(cell), &slab.first_free, sizeof slab.first_free);
    slab.first_free = static_cast<std::uint16_t>(cell % kCellsMax);
    if (was_full) {
        link(number);
    }
    const bool only_one = first_of(slab.cell_bytes) == number && slab.next == kNone;
    if (slab.live == 0 && !only_one) {
        unlink(number);
        give_back(number);
    }
}

}  // namespace bayplan
