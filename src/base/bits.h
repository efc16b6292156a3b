// Walks over the bits of a word.
//
// Thread: any; pure.
#pragma once

#include <bit>
#include <cstdint>

namespace bayplan {

// Calls each(number) for the bits that are set, from the lowest on.
template <typename Each>
void for_each_bit(std::uint64_t bits, Each&& each) {
    for (; bits != 0; bits &= bits - 1) {
        each(static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
}

}  // namespace bayplan
