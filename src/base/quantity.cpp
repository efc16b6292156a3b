// See quantity.h.
//
// The common spellings have few digits and go through 128-bit integers. The others go through a string of
// decimal digits, multiplied by two as often as the suffix says: slow, and exact for any number of digits.
#include "base/quantity.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace bayplan::kube {

namespace {

constexpr UInt128 kNanosMax = static_cast<UInt128>(INT64_MAX) * 1'000'000'000u;
constexpr std::size_t kTextMax = 256;    // nothing written by a program or a person comes near
constexpr std::size_t kFastDigits = 18;  // so many digits times 2^60 stay below 2^127

struct Suffix {
    int ten = 0;  // the number is digits * 10^ten * 2^two
    int two = 0;
};

std::optional<Suffix> exponent_suffix(std::string_view text) {
    std::string_view digits = text.substr(1);
    const bool plus = digits.starts_with('+');
    if (plus) {
        digits.remove_prefix(1);
    }
    // from_chars takes a minus itself; after a plus there may be none.
    if (digits.empty() || (plus && digits.starts_with('-'))) {
        return std::nullopt;
    }
    std::int64_t exponent = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc() || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    // Beyond a thousand every number is too large, or finer than a nano, anyway.
    return Suffix{static_cast<int>(std::clamp<std::int64_t>(exponent, -1'000, 1'000)), 0};
}

std::optional<Suffix> read_suffix(std::string_view text) {
    if (text.empty()) {
        return Suffix{};
    }
    static constexpr std::string_view kLarge = "kMGTPE";
    if (text.size() == 1) {
        static constexpr std::string_view kSmall = "num";
        if (const auto at = kSmall.find(text[0]); at != std::string_view::npos) {
            return Suffix{-9 + 3 * static_cast<int>(at), 0};
        }
        if (const auto at = kLarge.find(text[0]); at != std::string_view::npos) {
            return Suffix{3 * (static_cast<int>(at) + 1), 0};
        }
        return std::nullopt;
    }
    if (text.size() == 2 && text[1] == 'i') {
        static constexpr std::string_view kBinary = "KMGTPE";
        if (const auto at = kBinary.find(text[0]); at != std::string_view::npos) {
            return Suffix{0, 10 * (static_cast<int>(at) + 1)};
        }
        return std::nullopt;
    }
    return text[0] == 'e' || text[0] == 'E' ? exponent_suffix(text) : std::nullopt;
}

// digits * 10^ten * 2^two for at most kFastDigits digits, rounded up, at most kNanosMax.
UInt128 fast_nanos(std::string_view digits, int ten, int two) {
    UInt128 value = 0;
    for (const char digit : digits) {
        value = value * 10 + static_cast<unsigned>(digit - '0');
    }
    value <<= two;
    for (; ten > 0 && value < kNanosMax; --ten) {
        value *= 10;
    }
    if (ten < 0 && value != 0) {
        UInt128 divisor = 1;
        for (; ten < 0 && divisor < value; ++ten) {
            divisor *= 10;
        }
        value = (value + divisor - 1) / divisor;
    }
    return std::min(value, kNanosMax);
}

void multiply(std::vector<unsigned char>& digits, unsigned factor) {  // least significant digit first
    unsigned carry = 0;
    for (unsigned char& digit : digits) {
        const unsigned product = digit * factor + carry;
        digit = static_cast<unsigned char>(product % 10);
        carry = product / 10;
    }
    for (; carry != 0; carry /= 10) {
        digits.push_back(static_cast<unsigned char>(carry % 10));
    }
}

UInt128 exact_nanos(std::string_view text, int ten, int two) {
    std::vector<unsigned char> digits;
    for (std::size_t index = text.size(); index-- > 0;) {
        digits.push_back(static_cast<unsigned char>(text[index] - '0'));
    }
    for (; two > 0; two -= 10) {
        multiply(digits, 1'024);
    }
    const std::size_t dropped = ten < 0 ? std::min<std::size_t>(digits.size(), static_cast<std::size_t>(-ten)) : 0;
    const auto first = digits.begin() + static_cast<std::ptrdiff_t>(dropped);
    const bool rest = std::any_of(digits.begin(), first, [](unsigned char digit) { return digit != 0; });
    UInt128 value = 0;
    for (auto at = digits.end(); at != first && value < kNanosMax;) {
        value = value * 10 + *--at;
        if (value >= kNanosMax) {
            return kNanosMax;
        }
    }
    for (; ten > 0 && value != 0 && value < kNanosMax; --ten) {
        value *= 10;
    }
    return std::min(value + (rest ? 1u : 0u), kNanosMax);
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

Rounded round_up(Int128 nanos, std::int64_t unit) {
    Int128 whole = nanos / unit;  // truncates: up for what is negative
    if (nanos > 0 && nanos % unit != 0) {
        ++whole;
    }
    if (whole > kAmountMax) {
        return {kAmountMax, true};
    }
    if (whole < -kAmountMax) {
        return {-kAmountMax, true};
    }
    return {static_cast<std::int64_t>(whole), false};
}

}  // namespace

Rounded whole_items(Quantity quantity) { return round_up(quantity.nanos, 1'000'000'000); }

Rounded thousandths(Quantity quantity) { return round_up(quantity.nanos, 1'000'000); }

std::optional<Quantity> parse_quantity(std::string_view text, std::string& why) {
    if (text.empty() || text.size() > kTextMax) {
        why = text.empty() ? "an empty text is no quantity" : "is too long for a quantity";
        return std::nullopt;
    }
    std::size_t at = 0;
    const bool negative = text[0] == '-';
    at += negative || text[0] == '+' ? 1 : 0;
    std::string digits;
    int fraction = 0;
    bool any = false;
    for (bool point = false; at < text.size(); ++at) {
        if (text[at] == '.' && !point) {
            point = true;
        } else if (is_digit(text[at])) {
            any = true;
            fraction += point ? 1 : 0;
            if (!digits.empty() || text[at] != '0') {
                digits.push_back(text[at]);
            }
        } else {
            break;
        }
    }
    const std::optional<Suffix> suffix = any ? read_suffix(text.substr(at)) : std::nullopt;
    if (!suffix) {
        why = any ? "'" + std::string(text) + "' is no quantity: '" + std::string(text.substr(at)) + "' is no suffix"
                  : "'" + std::string(text) + "' is no quantity: it has no digits";
        return std::nullopt;
    }
    const int ten = suffix->ten - fraction + 9;
    const UInt128 nanos =
        digits.size() <= kFastDigits ? fast_nanos(digits, ten, suffix->two) : exact_nanos(digits, ten, suffix->two);
    const auto value = static_cast<Int128>(nanos);
    return Quantity{negative ? -value : value};
}

std::string to_text(Quantity quantity) {
    auto rest = static_cast<UInt128>(quantity.nanos < 0 ? -quantity.nanos : quantity.nanos);
    std::string text = "n";
    do {
        text.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
        rest /= 10;
    } while (rest != 0);
    text += quantity.nanos < 0 ? "-" : "";
    std::reverse(text.begin(), text.end());
    return text;
}

}  // namespace bayplan::kube
