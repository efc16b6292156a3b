// The text of a line and the digest over it; see decision_log.h.
#include "teller/decision_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace bayplan {

namespace {

constexpr std::size_t kNumberMax = 24;
constexpr std::size_t kLinesBytes = 4'096;

template <typename Number>
    requires std::is_integral_v<Number>
char* put(char* at, Number number) { return std::to_chars(at, at + kNumberMax, number).ptr; }
char* put(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

}  // namespace

DecisionLog::DecisionLog(DecisionSink& sink) : sink_(sink), lines_(kLinesBytes, 0) { sha256_init(&hash_); }

void DecisionLog::line(std::int64_t now_ns, std::string_view kind, std::string_view shim, std::string_view key,
                       std::string_view node, std::string_view victims, std::string_view reasons) {
    const std::size_t size_max =
        2 * kNumberMax + kind.size() + shim.size() + key.size() + node.size() + victims.size() + reasons.size() + 8;
    if (used_ + size_max > lines_.size()) {
        sha256_update(&hash_, used_, reinterpret_cast<const std::uint8_t*>(lines_.data()));
        used_ = 0;
        lines_.resize(std::max(lines_.size(), size_max));
    }
    // One check of room, then plain copies: a line is written for every placement.
    char* const begin = lines_.data() + used_;
    char* at = put(begin, ++number_);
    at = put(put(at, " "), now_ns);
    at = put(put(at, " "), kind);
    at = put(put(at, " "), shim);
    at = put(put(at, "/"), key);
    at = put(put(at, " "), node);
    at = put(put(at, " "), victims);
    at = put(put(at, " "), reasons);
    sink_.log_line({begin, static_cast<std::size_t>(at - begin)});
    *at++ = '\n';
    used_ += static_cast<std::size_t>(at - begin);
}

void DecisionLog::place(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                        std::string_view devices) {
    line(now_ns, "place", shim, key, node, "-", devices.empty() ? "-" : devices);
}

void DecisionLog::fail(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view reasons) {
    line(now_ns, "fail", shim, key, "-", "-", reasons);
}

void DecisionLog::wait(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view why) {
    line(now_ns, "wait", shim, key, "-", "-", why);
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

void DecisionLog::reserve(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                          std::string_view victims, std::string_view reasons) {
    line(now_ns, "reserve", shim, key, node, victims.empty() ? "-" : victims, reasons);
}

void DecisionLog::unreserve(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                            std::string_view why) {
    line(now_ns, "unreserve", shim, key, node, "-", why);
}

void DecisionLog::query(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                        std::string_view others) {
    line(now_ns, "query", shim, key, node, "-", others);
}

void DecisionLog::query_victims(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                                std::string_view victims, std::string_view needed) {
    line(now_ns, "victims", shim, key, node, victims, needed);
}

void DecisionLog::deny(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                       std::string_view why) {
    line(now_ns, "deny", shim, key, node, "-", why);
}

void DecisionLog::give_back(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view claim) {
    line(now_ns, "give_back", shim, key, "-", "-", claim);
}

void DecisionLog::permit(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                         std::string_view count) {
    line(now_ns, "permit", shim, key, node, "-", count);
}

void DecisionLog::reject(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                         std::string_view why) {
    line(now_ns, "reject", shim, key, node, "-", why);
}

std::string DecisionLog::digest() const {
    sha256_ctx copy = hash_;
    sha256_update(&copy, used_, reinterpret_cast<const std::uint8_t*>(lines_.data()));
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
