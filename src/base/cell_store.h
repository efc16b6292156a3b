// Room for short byte strings: cells of like size side by side in slabs, named by 32 bits.
//
//   slab of 24 bytes a cell:  [cell][cell][free -> 0][cell]...     cell = slab * 4096 + place in it
//
// A cell is at most 3 bytes larger than asked for up to 64 bytes, a sixth beyond. Cells are used again; a slab without
// a cell in use is given back, but for one per size. A string longer than the largest size has a slab of its own.
// Thread: its owner's; cells may be read by others while nothing is added or removed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace bayplan {

class CellStore {
public:
    using Cell = std::uint32_t;

    Cell add(std::size_t bytes);  // > 0; contents undefined
    void remove(Cell);
    char* at(Cell cell) {
        const Slab& slab = slabs_[cell / kCellsMax];
        return slab.data.get() + std::size_t{cell % kCellsMax} * slab.cell_bytes;
    }
    const char* at(Cell cell) const { return const_cast<CellStore*>(this)->at(cell); }

    std::size_t bytes() const { return bytes_; }

private:
    static constexpr std::uint32_t kCellsMax = 4096;
    static constexpr std::uint32_t kSlabBytes = 16'384;
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint16_t kNoCell = UINT16_MAX;

    struct Slab {
        std::unique_ptr<char[]> data;  // null: given back
        std::uint32_t cell_bytes = 0;
        std::uint16_t cells = 0;
        std::uint16_t live = 0;
        std::uint16_t fresh = 0;             // cells from here on were never in use
        std::uint16_t first_free = kNoCell;  // each free cell begins with the number of the next
        std::uint32_t next = kNone;          // in the list of slabs of its size with room
        std::uint32_t previous = kNone;
    };

    static std::uint32_t size_class(std::size_t bytes);
    static std::uint32_t bytes_of(std::uint32_t size_class);
    std::uint32_t add_slab(std::uint32_t cell_bytes, std::uint32_t cells);
    void give_back(std::uint32_t number);
    std::uint32_t& first_of(std::uint32_t cell_bytes);
    void link(std::uint32_t number);
    void unlink(std::uint32_t number);

    std::vector<Slab> slabs_;
    std::vector<std::uint32_t> absent_;
    std::vector<std::uint32_t> roomy_;  // by size class: first slab with room
    std::size_t bytes_ = 0;
};

}  // namespace bayplan
