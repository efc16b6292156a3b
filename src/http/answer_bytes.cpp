// See answer_bytes.h.
#include "http/answer_bytes.h"

#include <array>

#include <fmt/format.h>

namespace bayplan::http {
namespace {

void add(std::string& head, std::string_view name, std::string_view value) {
    head += name;
    head += ": ";
    for (const char letter : value) head += letter == '\r' || letter == '\n' || letter == '\0' ? ' ' : letter;
    head += "\r\n";
}

// HTTP's form of a time, which knows no other language than English.
std::string date_of(std::time_t time) {
    constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm parts{};
    gmtime_r(&time, &parts);
    return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(parts.tm_wday)],
                       parts.tm_mday, kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                       parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

std::string head_bytes(const Response& response, const Framing& framing, std::time_t now) {
    std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_of(response.status));
    if (!response.content_type.empty()) add(head, "Content-Type", response.content_type);
    for (const Header& header : response.headers) add(head, header.name, header.value);
    add(head, "Date", date_of(now));
    if (framing.length) add(head, "Content-Length", fmt::format("{}", *framing.length));
    if (framing.chunked) add(head, "Transfer-Encoding", "chunked");
    if (framing.close) add(head, "Connection", "close");
    return head + "\r\n";
}

std::string chunk_bytes(std::string_view piece) {
    return piece.empty() ? std::string() : fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
}

}  // namespace bayplan::http
