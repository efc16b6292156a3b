// The quantity parser against any text, and against itself: both of its ways must agree.
//
// Checked besides the sanitizers: a quantity written out reads as itself; zeros behind the point, which lead
// to the slow way, change nothing; the sign only turns the number round; rounding is up, by less than one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/quantity.h"

namespace {

using namespace bayplan::kube;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

// Any bytes, or letters that quantities are made of.
std::string text_of(const std::uint8_t* data, std::size_t size) {
    if (size == 0 || data[0] % 4 == 0) {
        return {reinterpret_cast<const char*>(data), size};
    }
    static const std::string kLetters = "0123456789..0123456789eEeEinumkKMGTPi+-";
    std::string text;
    for (std::size_t at = 1; at < size; ++at) {
        text.push_back(kLetters[data[at] % kLetters.size()]);
    }
    return text;
}

// "1.5Gi" as "1.50000000000000000000Gi".
std::string with_zeros(const std::string& text) {
    std::size_t end = text.find_first_not_of("+-0123456789.");
    end = end == std::string::npos ? text.size() : end;
    const bool point = text.substr(0, end).find('.') != std::string::npos;
    return text.substr(0, end) + (point ? "" : ".") + std::string(20, '0') + text.substr(end);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = text_of(data, size);
    std::string why;
    const auto quantity = parse_quantity(text, why);
    if (!quantity) {
        require(!why.empty());
        return 0;
    }
    require(parse_quantity(to_text(*quantity), why) == quantity);
    if (text.size() < 200) {
        require(parse_quantity(with_zeros(text), why) == quantity);
    }
    if (text.size() < 200 && text[0] != '-' && text[0] != '+') {
        require(parse_quantity("-" + text, why)->nanos == -quantity->nanos);
        require(parse_quantity("+" + text, why) == quantity);
    }
    const Rounded whole = whole_items(*quantity);
    const Rounded milli = thousandths(*quantity);
    require(whole.value >= -kAmountMax && whole.value <= kAmountMax);
    if (!whole.cut) {
        const Int128 above = Quantity::whole(whole.value).nanos - quantity->nanos;
        require(above >= 0 && above < 1'000'000'000);
    }
    if (!milli.cut) {
        const Int128 above = Quantity::milli(milli.value).nanos - quantity->nanos;
        require(above >= 0 && above < 1'000'000);
    }
    return 0;
}
