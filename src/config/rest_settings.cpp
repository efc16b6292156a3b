// See rest_settings.h.
#include "config/rest_settings.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

#include "config/setting_values.h"

namespace bayplan::config {
namespace {

constexpr std::string_view kOff = "off";

// `off` is kept as an empty text.
std::string print_or_off(const std::string& text) { return text.empty() ? std::string(kOff) : yaml_text(text); }

std::optional<std::string> read_listen(const YamlNode& node, const std::string& path, ReadContext& context) {
    const auto text = read_text(node, path, "an address and a port, or off", context);
    if (!text || *text == kOff) return text ? std::optional<std::string>("") : std::nullopt;
    if (parse_listen(*text)) return text;
    context.fault(node.position, fmt::format("'{}': '{}' is not an address with a port", path, *text),
                  "give one such as 127.0.0.1:9080 or \"[::1]:9080\", or off");
    return std::nullopt;
}

std::optional<std::string> read_cors(const YamlNode& node, const std::string& path, ReadContext& context) {
    const auto text = read_text(node, path, "an origin, or off", context);
    if (!text || *text == kOff) return text ? std::optional<std::string>("") : std::nullopt;
    return text;
}

}  // namespace

std::optional<ListenAt> parse_listen(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    ListenAt at;
    const std::string_view port = text.substr(colon + 1);
    const auto [stopped, error] = std::from_chars(port.data(), port.data() + port.size(), at.port);
    if (port.empty() || error != std::errc() || stopped != port.data() + port.size()) return std::nullopt;
    std::string_view address = text.substr(0, colon);
    const bool bracketed = address.size() > 2 && address.front() == '[' && address.back() == ']';
    if (bracketed) address = address.substr(1, address.size() - 2);
    at.address = address;
    in6_addr ignored{};
    if (inet_pton(bracketed ? AF_INET6 : AF_INET, at.address.c_str(), &ignored) != 1) return std::nullopt;
    return at;
}

void append_rest_settings(Settings<Config>& table) {
    using C = Config;
    table.push_back(value("rest_listen", MEMBER(C, rest.listen), "an address and a port, or off",
                          "Where the REST interface listens (HTTP); port 0 takes any free one. Every daemon of a host "
                          "needs its own.",
                          read_listen, print_or_off));
    table.push_back(input_file("rest_tls_cert", MEMBER(C, rest.certificate),
                               "Certificate chain of the REST interface, PEM; without one there is no TLS. Read again "
                               "on SIGHUP, as is the key."));
    table.push_back(input_file("rest_tls_key", MEMBER(C, rest.key), "Its private key, PEM."));
    table.push_back(input_file("rest_token_file", MEMBER(C, rest.token_file),
                               "Its first line is the token that every request must bear (Authorization: Bearer), 16 "
                               "characters at least. Without TLS anybody on the way can read it."));
    table.push_back(value("rest_cors", MEMBER(C, rest.cors), "an origin, or off",
                          "Whose pages may read the answers (Access-Control-Allow-Origin): * is everybody's, as with "
                          "YuniKorn.",
                          read_cors, print_or_off));
}

void check_rest(const RestConfig& rest, Position root, ReadContext& context) {
    if (rest.certificate.empty() == rest.key.empty()) return;
    const char* const given = rest.key.empty() ? "rest_tls_cert" : "rest_tls_key";
    const char* const missing = rest.key.empty() ? "rest_tls_key" : "rest_tls_cert";
    context.fault(context.place_of(given, root), fmt::format("'{}' is given without '{}'", given, missing),
                  "give both, or neither for no TLS");
}

}  // namespace bayplan::config
