// See bearer_token.h.
#include "http/bearer_token.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "http/escapes.h"

namespace bayplan::http {
namespace {

constexpr std::string_view kScheme = "Bearer ";
constexpr std::size_t kTokenMin = 16;

std::array<unsigned char, 32> digest_of(std::string_view text) {
    std::array<unsigned char, 32> digest{};
    static_assert(SHA256_DIGEST_LENGTH == 32);
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    return digest;
}

}  // namespace

BearerToken::BearerToken(std::string_view token) : digest_(digest_of(token)) {}

bool BearerToken::fits(std::string_view authorization) const {
    if (!same_name(authorization.substr(0, kScheme.size()), kScheme)) return false;
    const auto given = digest_of(authorization.substr(kScheme.size()));
    return CRYPTO_memcmp(given.data(), digest_.data(), digest_.size()) == 0;
}

bool read_token(const std::string& file, std::string& token, std::string& error) {
    std::ifstream stream(file);
    if (!stream) {
        error = fmt::format("cannot read the token file {}: {}", file, std::strerror(errno));
        return false;
    }
    std::getline(stream, token);
    while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
    if (token.size() >= kTokenMin) return true;
    error = fmt::format("the first line of the token file {} has fewer than {} characters", file, kTokenMin);
    return false;
}

}  // namespace bayplan::http
