// An answer as it goes over the wire: head, pieces of chunked bodies.
//
// Thread: plain functions, any.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace bayplan::http {

struct Framing {
    std::optional<std::uint64_t> length;  // none: the body comes in chunks, or ends with the connection
    bool chunked = false;
    bool close = false;
};

// Line ends in headers become blanks: nobody can smuggle a header into an answer.
std::string head_bytes(const Response&, const Framing&, std::time_t now);

// A chunk around its bytes; an empty piece gives nothing, because an empty chunk is the end.
std::string chunk_bytes(std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace bayplan::http
