// UTF-8 and control characters, eight bytes at a time while they are plain ASCII.
//
// Thread: any. Source of the UTF-8 rules: RFC 3629 (no overlong forms, no surrogates, up to
// U+10FFFF).
#include "wire/text.h"

#include <cstdint>
#include <cstring>

namespace bayplan::wire {
namespace {

constexpr const char* kNotUtf8 = "is not UTF-8";
constexpr const char* kControl = "has a control character";

constexpr std::uint64_t repeated(std::uint8_t byte) { return 0x0101010101010101u * byte; }

// True when all eight bytes lie in 0x20..0x7e.
bool plain_ascii(std::uint64_t word) {
    const std::uint64_t high = word & repeated(0x80);
    const std::uint64_t below_space = (word - repeated(0x20)) & ~word & repeated(0x80);
    const std::uint64_t against_delete = word ^ repeated(0x7f);
    const std::uint64_t is_delete = (against_delete - repeated(0x01)) & ~against_delete & repeated(0x80);
    return (high | below_space | is_delete) == 0;
}

bool is_control(std::uint32_t code, TextRule rule) {
    if (rule == TextRule::prose && (code == '\t' || code == '\n' || code == '\r')) {
        return false;
    }
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

struct CodePoint {
    std::uint32_t code = 0;
    std::size_t length = 0;  // 0 = not UTF-8
};

CodePoint read_code_point(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) {
        return {};
    }
    std::uint32_t code = lead & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) {
            return {};
        }
        code = code << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < kLeast[length] || code > 0x10ffff || surrogate) {
        return {};
    }
    return {code, length};
}

}  // namespace

const char* text_fault(std::string_view text, TextRule rule) {
    while (!text.empty()) {
        if (text.size() >= sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data(), sizeof word);
            if (plain_ascii(word)) {
                text.remove_prefix(sizeof word);
                continue;
            }
        }
        const CodePoint point = read_code_point(text);
        if (point.length == 0) {
            return kNotUtf8;
        }
        if (is_control(point.code, rule)) {
            return kControl;
        }
        text.remove_prefix(point.length);
    }
    return nullptr;
}

}  // namespace bayplan::wire
