// Faults of a bad network for each frame of one direction, drawn from a seed: the fate of the n-th frame depends on the
// seed and n alone, not on time or load.
//
// Thread: the relay's one. Owner: none of the bytes. Errors: none.
#pragma once

#include <cstdint>
#include <span>

namespace bayplan::relay {

// Shares of the frames, 0..1; delay is uniform in 0..delay_max_ns.
struct FaultRates {
    double drop = 0;
    double reorder = 0;
    double duplicate = 0;
    double corrupt = 0;
    std::int64_t delay_max_ns = 0;
};

struct Fate {
    bool drop = false;
    bool reorder = false;  // overtaken by frames behind it
    bool duplicate = false;
    bool corrupt = false;
    std::int64_t delay_ns = 0;
    std::uint64_t bit = 0;  // which one is flipped, modulo the bits of the frame
};

class Faults {
public:
    Faults(const FaultRates& rates, std::uint64_t seed) : rates_(rates), state_(seed) {}

    // `storm_loss`: a further share that is dropped for now.
    Fate next(double storm_loss);

    static void flip(std::span<std::uint8_t> frame, std::uint64_t bit);

private:
    double draw();  // 0 <= x < 1
    std::uint64_t draw_bits();

    FaultRates rates_;
    std::uint64_t state_;
};

}  // namespace bayplan::relay
