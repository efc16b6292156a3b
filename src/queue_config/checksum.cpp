// SHA-256 of a configuration's text.
//
// Thread: any.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nettle/sha2.h>

#include "queue_config/load.h"

namespace bayplan::queue_config {
namespace {

std::string sha256(const std::string& text) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&context, digest.size(), digest.data());
    return fmt::format("{:02X}", fmt::join(digest, ""));
}

// The text up to each "checksum: " and from the end of its line on.
std::string without_checksums(std::string_view text) {
    std::string rest;
    while (!text.empty()) {
        const std::size_t key = std::min(text.find("checksum: "), text.size());
        rest += text.substr(0, key);
        text.remove_prefix(std::min(text.find('\n', key), text.size()));
    }
    return rest;
}

}  // namespace

std::string checksum_of(const std::string& text) { return sha256(without_checksums(text)); }

}  // namespace bayplan::queue_config
