// Kubernetes' quantities ("0.50", "500m", "5e-1", "1.5Gi", "1E3"), exact.
//
// A quantity is a whole number of nanos (10^-9), as in Kubernetes: anything finer is rounded away from
// zero when it is read, and an amount above 2^63 - 1 counts as that. Sums stay exact; rounding up to
// milli-cores, bytes or items comes last and once per pod (as Kubernetes sums the requests of a pod).
//
// Thread: plain values, any. Errors: a text that is no quantity gives none, and the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bayplan::kube {

// A 128-bit integer is an extension of the compiler; -Wpedantic is told so.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// The largest amount a record may carry (R-AMOUNT-3).
inline constexpr std::int64_t kAmountMax = std::int64_t{1} << 53;

struct Quantity {
    Int128 nanos = 0;

    static constexpr Quantity whole(std::int64_t value) { return {Int128{value} * 1'000'000'000}; }
    static constexpr Quantity milli(std::int64_t value) { return {Int128{value} * 1'000'000}; }

    Quantity& operator+=(const Quantity& other) {
        nanos += other.nanos;
        return *this;
    }
    auto operator<=>(const Quantity&) const = default;
};

// An amount rounded up to whole items (bytes) or to thousandths, cut to [-kAmountMax, kAmountMax].
struct Rounded {
    std::int64_t value = 0;
    bool cut = false;
};
Rounded whole_items(Quantity);
Rounded thousandths(Quantity);

// Every spelling that Kubernetes reads: sign, digits with or without a point, and one of n u m k M G T P E,
// Ki to Ei, or an exponent of ten. `why` gets the reason for a refusal.
std::optional<Quantity> parse_quantity(std::string_view text, std::string& why);

// A spelling that reads as the same quantity: "1500000000n".
std::string to_text(Quantity);

}  // namespace bayplan::kube
