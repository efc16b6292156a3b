// See rest_client.h.
#include "cli/rest_client.h"

#include <array>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include "cli/exit_status.h"

namespace bayplan::cli {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kBodyMax = std::size_t{4} << 30;  // a million pods are 0.5 GB of JSON

bool split(const std::string& address, std::string& host, std::string& port) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == address.size()) return false;
    host = address.substr(0, colon);
    port = address.substr(colon + 1);
    if (port.find_first_not_of("0123456789") != std::string::npos) return false;
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    return true;
}

bool read_token(const std::string& file, std::string& token) {
    std::ifstream from(file);
    return static_cast<bool>(from >> token);
}

}  // namespace

struct RestClient::Connection {
    asio::io_context context;
    beast::tcp_stream stream{context};
    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;

    // One step; the stream's time is over it.
    template <typename Begin>
    error_code wait(Begin&& begin) {
        error_code out;
        begin([&](error_code code, auto&&...) { out = code; });
        context.restart();
        context.run();
        return out;
    }
    // More of the body; empty: that was the end, or a fault.
    std::string_view more(error_code& fault) {
        if (parser.is_done()) return {};
        parser.get().body() = {piece.data(), piece.size(), true};
        fault = wait([&](auto done) { http::async_read_some(stream, buffer, parser, done); });
        if (fault == http::error::need_buffer) fault = {};
        return {piece.data(), piece.size() - parser.get().body().size};
    }
    std::array<char, 64 << 10> piece;
};

RestClient::RestClient(const RestTarget& target) : target_(target) {}
RestClient::~RestClient() = default;

RestFault RestClient::open(const std::string& path, Connection& connection) {
    std::string host, port, token;
    if (!split(target_.address, host, port)) {
        return {kExitInput, fmt::format("'{}' is no HOST:PORT", target_.address)};
    }
    if (!target_.token_file.empty() && !read_token(target_.token_file, token)) {
        return {kExitInput, fmt::format("there is no token in {}", target_.token_file)};
    }
    const auto no_daemon = [&](const error_code& code) {
        return RestFault{kExitNoDaemon, fmt::format("no answer from {}: {}", target_.address, code.message())};
    };
    asio::ip::tcp::resolver resolver(connection.context);
    error_code code;
    const auto found = resolver.resolve(host, port, code);
    if (code) return no_daemon(code);
    connection.stream.expires_after(target_.timeout);
    code = connection.wait([&](auto done) { connection.stream.async_connect(found, done); });
    if (code) return no_daemon(code);
    http::request<http::empty_body> request(http::verb::get, path, 11);
    request.set(http::field::host, target_.address);
    request.set(http::field::user_agent, "bayplan");
    if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
    code = connection.wait([&](auto done) { http::async_write(connection.stream, request, done); });
    if (code) return no_daemon(code);
    connection.parser.body_limit(kBodyMax);
    code = connection.wait(
        [&](auto done) { http::async_read_header(connection.stream, connection.buffer, connection.parser, done); });
    return code ? no_daemon(code) : faulty_status(connection);
}

// A name that the daemon does not know is the fault of the caller, all else of the daemon.
RestFault RestClient::faulty_status(Connection& connection) {
    const unsigned status = connection.parser.get().result_int();
    if (status == 200) return {};
    std::string body;
    error_code code;
    for (std::string_view more = connection.more(code); !code && !more.empty(); more = connection.more(code)) {
        body += more;
    }
    error_code broken;
    const boost::json::value error = boost::json::parse(body, broken);
    if (!broken && error.is_object() && error.as_object().contains("message")) {
        body = error.at("message").is_string() ? std::string(error.at("message").as_string()) : body;
    }
    while (!body.empty() && body.back() == '\n') body.pop_back();
    const bool callers = status == 400 || status == 404;
    return {callers ? kExitInput : kExitNoDaemon, fmt::format("{} says {}: {}", target_.address, status, body)};
}

RestFault RestClient::get(const std::string& path, std::string& body) {
    Connection connection;
    if (RestFault fault = open(path, connection); fault.any()) return fault;
    body.clear();
    error_code code;
    while (!connection.parser.is_done() && !code) {
        connection.stream.expires_after(target_.timeout);
        body += connection.more(code);
    }
    if (code) return {kExitNoDaemon, fmt::format("the answer of {} broke off: {}", target_.address, code.message())};
    return {};
}

RestFault RestClient::follow(const std::string& path, const std::function<bool(std::string_view line)>& each) {
    Connection connection;
    if (RestFault fault = open(path, connection); fault.any()) return fault;
    std::string rest;
    error_code code;
    connection.stream.expires_never();
    while (!connection.parser.is_done() && !code) {
        rest += connection.more(code);
        std::size_t begin = 0;
        for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
            if (end > begin && !each(std::string_view(rest).substr(begin, end - begin))) return {};
            begin = end + 1;
        }
        rest.erase(0, begin);
    }
    if (code) return {kExitNoDaemon, fmt::format("{} left: {}", target_.address, code.message())};
    return {};
}

}  // namespace bayplan::cli
