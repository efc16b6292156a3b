// Kubernetes quantities, exactly.
//
// Thread and errors: see kube_quantity.h.
#include "kube_quantity.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace bayplan::oracle {

namespace {

Nano divided_up(Nano value, Nano by) { return value / by + (value % by > 0 ? 1 : 0); }

// Power of ten and of 1024 that a suffix stands for.
std::pair<int, int> powers(std::string_view suffix) {
    static const std::map<std::string_view, std::pair<int, int>> known = {
        {"", {0, 0}},   {"n", {-9, 0}}, {"u", {-6, 0}}, {"m", {-3, 0}}, {"k", {3, 0}},  {"M", {6, 0}},
        {"G", {9, 0}},  {"T", {12, 0}}, {"P", {15, 0}}, {"E", {18, 0}}, {"Ki", {0, 1}}, {"Mi", {0, 2}},
        {"Gi", {0, 3}}, {"Ti", {0, 4}}, {"Pi", {0, 5}}, {"Ei", {0, 6}},
    };
    const auto found = known.find(suffix);
    if (found != known.end()) {
        return found->second;
    }
    if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) {
        throw std::invalid_argument("no such suffix: " + std::string(suffix));
    }
    return {std::stoi(std::string(suffix.substr(1))), 0};
}

}  // namespace

Nano parse_quantity(std::string_view text) {
    std::size_t at = 0;
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        ++at;
    }
    Nano digits = 0;
    int exponent = 9;  // nano-units
    bool after_point = false;
    for (; at < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || (text[at] == '.' && !after_point));
         ++at) {
        if (text[at] == '.') {
            after_point = true;
            continue;
        }
        digits = digits * 10 + (text[at] - '0');
        exponent -= after_point ? 1 : 0;
    }
    const auto [tens, kibis] = powers(text.substr(at));
    for (int i = 0; i < kibis; ++i) {
        digits *= 1024;
    }
    for (exponent += tens; exponent > 0; --exponent) {
        digits *= 10;
    }
    for (; exponent < 0; ++exponent) {
        digits = divided_up(digits, 10);
    }
    return negative ? -digits : digits;
}

std::int64_t to_units(const std::string& kind, Nano value) {
    return std::int64_t(divided_up(value, kind == "cpu" ? 1'000'000 : 1'000'000'000));
}

void add_to(NanoAmounts& sum, const NanoAmounts& more) {
    for (const auto& [kind, value] : more) {
        sum[kind] += value;
    }
}

void raise_to(NanoAmounts& most, const NanoAmounts& other) {
    for (const auto& [kind, value] : other) {
        const auto [there, fresh] = most.emplace(kind, value);
        there->second = std::max(there->second, value);
    }
}

}  // namespace bayplan::oracle
