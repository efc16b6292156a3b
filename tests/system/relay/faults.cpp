// See faults.h.
#include "faults.h"

namespace bayplan::relay {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): equal on every
// machine and library, unlike the distributions of <random>.
std::uint64_t Faults::draw_bits() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double Faults::draw() { return static_cast<double>(draw_bits() >> 11) * 0x1p-53; }

// The number of draws is always the same: a rate of 0 or a storm does not shift later fates.
Fate Faults::next(double storm_loss) {
    Fate fate;
    fate.drop = draw() < rates_.drop;
    fate.reorder = draw() < rates_.reorder;
    fate.duplicate = draw() < rates_.duplicate;
    fate.corrupt = draw() < rates_.corrupt;
    fate.delay_ns = static_cast<std::int64_t>(draw() * static_cast<double>(rates_.delay_max_ns));
    fate.bit = draw_bits();
    if (draw() < storm_loss) fate.drop = true;
    return fate;
}

void Faults::flip(std::span<std::uint8_t> frame, std::uint64_t bit) {
    if (frame.empty()) return;
    const std::uint64_t at = bit % (frame.size() * 8);
    frame[at / 8] ^= static_cast<std::uint8_t>(1u << (at % 8));
}

}  // namespace bayplan::relay
