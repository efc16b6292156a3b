// See message.h.
#include "http/message.h"

#include <algorithm>
#include <array>

#include "http/escapes.h"

namespace bayplan::http {
namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter; }

struct Reason {
    unsigned status;
    std::string_view text;
};

constexpr std::array kReasons = {
    Reason{100, "Continue"},
    Reason{200, "OK"},
    Reason{301, "Moved Permanently"},
    Reason{308, "Permanent Redirect"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{408, "Request Timeout"},
    Reason{413, "Request Entity Too Large"},
    Reason{417, "Expectation Failed"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{503, "Service Unavailable"},
    Reason{505, "HTTP Version Not Supported"},
};

}  // namespace

bool same_name(std::string_view one, std::string_view other) {
    return std::ranges::equal(one, other, [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view Request::header(std::string_view name) const {
    const auto found = std::ranges::find_if(headers, [name](const Header& one) { return same_name(one.name, name); });
    return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::string_view Request::parameter(std::string_view name) const {
    const auto found = std::ranges::find(parameters, name, &std::pair<std::string, std::string>::first);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string> Request::query_value(std::string_view name) const {
    std::string_view rest = query;
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty() || pair.find(';') != std::string_view::npos) continue;  // Go's rule: no value
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const Unescaped key = unescape_query(pair.substr(0, equals));
        const Unescaped value = unescape_query(pair.substr(std::min(equals + 1, pair.size())));
        if (key.fault.empty() && value.fault.empty() && key.text == name) return value.text;
    }
    return std::nullopt;
}

void ChunkSource::on_wake(std::function<void()>) {}

std::string_view reason_of(unsigned status) {
    const auto found = std::ranges::find(kReasons, status, &Reason::status);
    return found == kReasons.end() ? std::string_view("Status") : found->text;
}

Response plain_answer(unsigned status, std::string_view text) {
    Response response;
    response.status = status;
    response.content_type = "text/plain; charset=utf-8";
    response.headers = {{"X-Content-Type-Options", "nosniff"}};
    response.body = std::string(text) + "\n";
    return response;
}

}  // namespace bayplan::http
