// See compression.h.
#include "http/compression.h"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>

#include "http/escapes.h"

namespace bayplan::http {
namespace {

constexpr int kLevel = 4;                 // the server's thread serves everybody: fast before small
constexpr int kWindowWithGzip = 15 + 16;  // the largest window, and gzip's frame instead of zlib's
constexpr int kMemory = 8;

std::string_view trimmed(std::string_view text) {
    const std::size_t from = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(from);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// "q=0", "q=0.000": not wanted.
bool is_zero_weight(std::string_view parameter) {
    parameter = trimmed(parameter);
    if (!same_name(parameter.substr(0, 2), "q=")) return false;
    const std::string_view weight = parameter.substr(2);
    return weight.starts_with('0') && weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
    while (!accept_encoding.empty()) {
        const std::string_view entry = accept_encoding.substr(0, accept_encoding.find(','));
        accept_encoding.remove_prefix(std::min(entry.size() + 1, accept_encoding.size()));
        const std::size_t semicolon = std::min(entry.find(';'), entry.size());
        if (!same_name(trimmed(entry.substr(0, semicolon)), "gzip")) continue;
        return !is_zero_weight(entry.substr(std::min(semicolon + 1, entry.size())));
    }
    return false;
}

struct Gzip::State {
    z_stream stream{};
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
    if (deflateInit2(&state_->stream, kLevel, Z_DEFLATED, kWindowWithGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc();
    }
}

Gzip::~Gzip() { deflateEnd(&state_->stream); }

void Gzip::append(std::string_view plain, std::string& compressed, Flush flush) {
    constexpr std::array kModes = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
    z_stream& stream = state_->stream;
    std::array<char, 16 << 10> room;
    do {
        constexpr std::size_t kAtOnce = 1 << 30;  // zlib counts with 32 bits
        const std::string_view part = plain.substr(0, kAtOnce);
        plain.remove_prefix(part.size());
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
        stream.avail_in = static_cast<uInt>(part.size());
        const int mode = plain.empty() ? kModes[static_cast<std::size_t>(flush)] : Z_NO_FLUSH;
        do {
            stream.next_out = reinterpret_cast<Bytef*>(room.data());
            stream.avail_out = static_cast<uInt>(room.size());
            deflate(&stream, mode);
            compressed.append(room.data(), room.size() - stream.avail_out);
        } while (stream.avail_out == 0);
    } while (!plain.empty());
}

std::string gzip(std::string_view plain) {
    std::string compressed;
    Gzip().append(plain, compressed, Gzip::Flush::end);
    return compressed;
}

}  // namespace bayplan::http
