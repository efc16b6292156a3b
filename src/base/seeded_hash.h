// Hashes for tables whose keys a peer chooses. A secret is drawn when the process starts, so nobody outside can choose
// keys that fall together and make each look-up a walk.
//
// Two processes hash differently: no decision, text or record may depend on a hash or on the order of a table.
// Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace bayplan {

// The random numbers in all hashes of a process. Tables use `of_process`; a test draws two.
class HashSecret {
public:
    static inline const HashSecret& of_process();
    // Random numbers of the kernel; ends the process if there are none.
    static HashSecret drawn();

    std::uint64_t of_text(std::string_view) const;
    // Twice multiplied: after one multiplication, numbers that are evenly spaced stay so, and for one secret in ten they
    // share half of the places.
    std::uint64_t of_number(std::uint64_t number) const {
        return folded(folded(number ^ first_, second_) ^ third_, kLast);
    }
    // The hash of what was hashed so far, and of one value more; begins with 0.
    std::uint64_t with(std::uint64_t so_far, std::uint64_t value) const {
        return of_number((so_far << 5 | so_far >> 59) + value);
    }

private:
    static constexpr std::size_t kTextBytes = 192;              // XXH3's secret
    static constexpr std::uint64_t kLast = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

    static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
        const auto product = static_cast<unsigned __int128>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }

    std::uint64_t first_ = 0;
    std::uint64_t second_ = 0;  // odd
    std::uint64_t third_ = 0;
    alignas(64) unsigned char text_[kTextBytes];
};

// Drawn before any other object of the program is made.
extern const HashSecret process_hash_secret;
inline const HashSecret& HashSecret::of_process() { return process_hash_secret; }

inline std::uint64_t hash_of_text(std::string_view text) { return HashSecret::of_process().of_text(text); }

// For maps by text; finds by anything that is a text.
struct TextHash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(std::string_view text) const { return hash_of_text(text); }
};

// For maps by a number or an enumerator that a peer chooses.
struct NumberHash {
    using is_avalanching = void;
    template <typename Number>
    std::size_t operator()(Number number) const {
        static_assert(std::is_integral_v<Number> || std::is_enum_v<Number>);
        return HashSecret::of_process().of_number(static_cast<std::uint64_t>(number));
    }
};

}  // namespace bayplan
