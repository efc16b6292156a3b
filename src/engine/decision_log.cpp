#include "engine/decision_log.h"

#include <array>
#include <charconv>
#include <cstring>

namespace bayplan {

namespace {

constexpr std::size_t kNumberMax = 24;

template <typename Number>
    requires std::is_integral_v<Number>
char* put(char* at, Number number) {
    return std::to_chars(at, at + kNumberMax, number).ptr;
}
char* put(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

}  // namespace

DecisionLog::DecisionLog(DecisionSink& sink) : sink_(sink) { sha256_init(&hash_); }

void DecisionLog::line(std::int64_t now_ns, std::string_view kind, std::string_view shim, std::string_view key,
                       std::string_view node, std::string_view victims, std::string_view reasons) {
    // One size, then plain copies: a line is written for every placement.
    const std::size_t size_max = 2 * kNumberMax + kind.size() + shim.size() + key.size() + node.size() + victims.size() +
                                 reasons.size() + 8;
    if (line_.size() < size_max) {
        line_.resize(size_max);
    }
    char* at = put(line_.data(), ++number_);
    at = put(put(at, " "), now_ns);
    at = put(put(at, " "), kind);
    at = put(put(at, " "), shim);
    at = put(put(at, "/"), key);
    at = put(put(at, " "), node);
    at = put(put(at, " "), victims);
    at = put(put(at, " "), reasons);
    const std::string_view line(line_.data(), static_cast<std::size_t>(at - line_.data()));
    sink_.log_line(line);
    *at = '\n';
    sha256_update(&hash_, line.size() + 1, reinterpret_cast<const std::uint8_t*>(line_.data()));
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
