// Makes each request of the examples, over a socket to the real server, and compares the answer with that of the real YuniKorn.
// Usage: rest_conformance FILE [AT_LEAST]   every disagreement, then "AGREE n of m"; status 1 if fewer than AT_LEAST (all) agree
#include <charconv>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "http/server.h"
#include "rest_compare.h"
#include "rest_world.h"

namespace bayplan::conformance {
namespace {

namespace json = boost::json;

json::value read(const char* file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error(fmt::format("{} cannot be read", file));
    return json::parse(std::string{std::istreambuf_iterator<char>(stream), {}});
}

std::string optional_text(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value == nullptr ? std::string() : std::string(value->as_string());
}

std::string headers_of(const json::object& example) {
    std::string headers;
    const json::value* wanted = example.if_contains("requestHeaders");
    if (wanted == nullptr) return headers;
    for (const auto& [name, value] : wanted->as_object()) {
        headers += fmt::format("{}: {}\r\n", std::string_view(name), std::string_view(value.as_string()));
    }
    return headers;
}

http::Answer ask(std::uint16_t port, const json::object& example) {
    const std::string method(example.at("method").as_string());
    http::Client client(port);
    client.send(http::request_of(method, std::string_view(example.at("path").as_string()), headers_of(example),
                                 optional_text(example, "requestBody")));
    return client.receive(method == "HEAD");
}

// The same request by a client that takes nothing compressed.
const json::object* uncompressed(const json::array& examples, const json::object& example) {
    for (const json::value& value : examples) {
        const json::object& other = value.as_object();
        if (other.at("path") == example.at("path") && other.at("method") == example.at("method") &&
            !other.contains("requestHeaders")) {
            return &other;
        }
    }
    return nullptr;
}

std::pair<std::size_t, std::size_t> judge(const json::value& document) {
    RestWorld world(document.at("state").as_object());
    http::ServerOptions options;
    options.port = 0;
    http::Server server(options, http::Router(world.routes(), "*"));
    std::string error;
    if (!server.start(error)) throw std::runtime_error(error);
    const json::array& examples = document.at("examples").as_array();
    std::size_t agreed = 0;
    for (const json::value& value : examples) {
        const json::object& example = value.as_object();
        const std::string difference =
            compare_answer(example, ask(server.port(), example), uncompressed(examples, example));
        if (difference.empty()) {
            ++agreed;
        } else {
            fmt::print("{} {} ({}): {}\n", std::string_view(example.at("method").as_string()),
                       std::string_view(example.at("path").as_string()), optional_text(example, "about"), difference);
        }
    }
    return {agreed, examples.size()};
}

}  // namespace
}  // namespace bayplan::conformance

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) {
        fmt::print(stderr, "usage: rest_conformance FILE [AT_LEAST]\n");
        return 2;
    }
    try {
        const auto [agreed, all] = bayplan::conformance::judge(bayplan::conformance::read(argv[1]));
        std::size_t wanted = all;
        if (argc == 3) wanted = std::stoul(argv[2]);
        fmt::print("AGREE {} of {}\n", agreed, all);
        return agreed >= wanted && all > 0 ? 0 : 1;
    } catch (const std::exception& fault) {
        fmt::print(stderr, "rest_conformance: {}\n", fault.what());
        return 2;
    }
}
