#include "engine/decision_log.h"

#include <array>
#include <charconv>

namespace bayplan {

namespace {

template <typename Number>
void append_number(std::string& text, Number number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(digits.data(), end);
}

}  // namespace

DecisionLog::DecisionLog(DecisionSink& sink) : sink_(sink) { sha256_init(&hash_); }

void DecisionLog::line(std::int64_t now_ns, std::string_view kind, std::string_view shim, std::string_view key,
                       std::string_view node, std::string_view victims, std::string_view reasons) {
    line_.clear();
    append_number(line_, ++number_);
    line_ += ' ';
    append_number(line_, now_ns);
    line_ += ' ';
    line_ += kind;
    line_ += ' ';
    line_ += shim;
    line_ += '/';
    line_ += key;
    line_ += ' ';
    line_ += node;
    line_ += ' ';
    line_ += victims;
    line_ += ' ';
    line_ += reasons;
    sink_.log_line(line_);
    line_ += '\n';
    sha256_update(&hash_, line_.size(), reinterpret_cast<const std::uint8_t*>(line_.data()));
}

void DecisionLog::place(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                        std::string_view devices) {
    line(now_ns, "place", shim, key, node, "-", devices.empty() ? "-" : devices);
}

void DecisionLog::fail(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view reasons) {
    line(now_ns, "fail", shim, key, "-", "-", reasons);
}

void DecisionLog::release(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                          std::string_view reasons) {
    line(now_ns, "release", shim, key, node, "-", reasons);
}

void DecisionLog::nominate(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                           std::string_view victims, std::string_view reasons) {
    line(now_ns, "nominate", shim, key, node, victims, reasons);
}

void DecisionLog::clear(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                        std::string_view why) {
    line(now_ns, "clear", shim, key, node, "-", why);
}

std::string DecisionLog::digest() const {
    sha256_ctx copy = hash_;
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> bytes;
    sha256_digest(&copy, bytes.size(), bytes.data());
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += kHex[byte >> 4];
        text += kHex[byte & 15];
    }
    return text;
}

}  // namespace bayplan
