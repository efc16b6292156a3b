// Arithmetic of resources by name, and the spelling of quantities in a queue configuration.
//
// Thread: any.
#include "queue_config/resources.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

namespace bayplan::queue_config {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kCores = "vcore";

struct Suffix {
    std::string_view text;
    std::int64_t factor;
};

constexpr std::array kSuffixes = {
    Suffix{"", 1},
    Suffix{"k", 1'000},
    Suffix{"M", 1'000'000},
    Suffix{"G", 1'000'000'000},
    Suffix{"T", 1'000'000'000'000},
    Suffix{"P", 1'000'000'000'000'000},
    Suffix{"E", 1'000'000'000'000'000'000},
    Suffix{"Ki", std::int64_t{1} << 10},
    Suffix{"Mi", std::int64_t{1} << 20},
    Suffix{"Gi", std::int64_t{1} << 30},
    Suffix{"Ti", std::int64_t{1} << 40},
    Suffix{"Pi", std::int64_t{1} << 50},
    Suffix{"Ei", std::int64_t{1} << 60},
};

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? kLargest : sum;
}

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::int64_t> multiply(std::int64_t value, std::int64_t factor, std::string& why) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(value, factor, &product)) return product;
    why = "is larger than 9223372036854775807 in the smallest unit";
    return std::nullopt;
}

std::optional<std::int64_t> parse_digits(std::string_view digits, std::string& why) {
    std::int64_t value = 0;
    for (const char digit : digits) {
        if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
            __builtin_add_overflow(value, std::int64_t{digit - '0'}, &value)) {
            why = "is larger than 9223372036854775807";
            return std::nullopt;
        }
    }
    return value;
}

}  // namespace

bool fits_in(const Resources& part, const Resources& whole, Missing missing) {
    return std::ranges::all_of(part, [&](const auto& resource) {
        const auto found = whole.find(resource.first);
        if (found == whole.end()) return missing != Missing::zero || resource.second <= 0;
        return resource.second <= found->second;
    });
}

Resources lower_of(const Resources& a, const Resources& b, Missing missing) {
    Resources lower;
    const auto keep = [&](const Resources& from, const Resources& other) {
        for (const auto& [name, amount] : from) {
            const auto found = other.find(name);
            if (found != other.end()) {
                lower[name] = std::min(amount, found->second);
            } else if (missing != Missing::ignored) {
                lower[name] = missing == Missing::zero ? std::min<std::int64_t>(amount, 0) : amount;
            }
        }
    };
    keep(a, b);
    keep(b, a);
    return lower;
}

void add_to(Resources& sum, const Resources& more) {
    for (const auto& [name, amount] : more) {
        std::int64_t& value = sum[name];
        value = saturating_sum(value, amount);
    }
}

bool any_above_zero(const Resources& resources) {
    return std::ranges::any_of(resources, [](const auto& resource) { return resource.second > 0; });
}

std::string to_text(const Resources& resources) {
    std::string text;
    for (const auto& [name, amount] : resources) {
        text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", name, amount, name == kCores ? "m" : "");
    }
    return "{" + text + "}";
}

std::optional<std::int64_t> parse_quantity(std::string_view written, std::string_view resource, std::string& why) {
    const std::string_view text = without_blanks(written);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view suffix = without_blanks(text.substr(digits));
    const bool cores = resource == kCores;
    if (digits == 0) {
        why = "is no quantity";
        return std::nullopt;
    }
    const std::optional<std::int64_t> value = parse_digits(text.substr(0, digits), why);
    if (!value) return value;
    if (cores && suffix == "m") return value;
    const auto* const found = std::ranges::find(kSuffixes, suffix, &Suffix::text);
    if (found == kSuffixes.end()) {
        why = suffix == "m" ? "has the suffix 'm', which is for vcore alone" : fmt::format("ends with '{}'", suffix);
        return std::nullopt;
    }
    const std::optional<std::int64_t> product = multiply(*value, found->factor, why);
    return product && cores ? multiply(*product, 1000, why) : product;
}

}  // namespace bayplan::queue_config
