// A small seeded generator (splitmix64): the same numbers on every machine and standard library, so
// that a seed names a history everywhere.
//
// Thread: plain data of one owner. Errors: none; below(0) is a caller's bug and answers 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bayplan::property {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31);
    }
    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
    // Both ends included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }
    bool chance(std::uint64_t percent) { return below(100) < percent; }

    template <typename T>
    const T& pick(const std::vector<T>& from) {
        return from[static_cast<std::size_t>(below(from.size()))];
    }

private:
    std::uint64_t state_;
};

}  // namespace bayplan::property
