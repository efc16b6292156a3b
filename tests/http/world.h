// A server under test on a free port, with handlers that answer something plain.
//
// Thread: the test's; the server has its own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "client.h"
#include "http/server.h"

namespace bayplan::http {

inline Response text_answer(std::string text) {
    Response response;
    response.content_type = "text/plain";
    response.body = std::move(text);
    return response;
}

inline ServerOptions options_of_test() {
    ServerOptions options;
    options.port = 0;
    return options;
}

inline std::vector<Route> plain_routes() {
    return {
        {"GET", "/hello", [](const Request&) { return text_answer("hello\n"); }},
        {"GET", "/item/{name}/parts",
         [](const Request& request) { return text_answer(std::string(request.parameter("name")) + "\n"); }},
        {"GET", "/thing/{name}",
         [](const Request& request) { return text_answer(std::string(request.parameter("name")) + "\n"); }},
        {"POST", "/echo", [](const Request& request) { return text_answer(request.body); }},
        {"GET", "/large", [](const Request&) { return text_answer(std::string(3'000'000, 'x')); }},
        {"GET", "/words", [](const Request&) { return text_answer(std::string(1'400, 'w')); }},
        {"GET", "/few", [](const Request&) { return text_answer(std::string(1'399, 'w')); }},
        {"GET", "/fault", [](const Request&) -> Response { throw std::runtime_error("of a handler"); }},
        {"GET", "/old", redirect_to("/hello"), false},
    };
}

class RunningServer {
public:
    explicit RunningServer(ServerOptions options = options_of_test(), std::vector<Route> routes = plain_routes(),
                           std::string origin = "*")
        : server_(std::move(options), Router(std::move(routes), std::move(origin))) {
        std::string error;
        if (!server_.start(error)) throw std::runtime_error(error);
    }

    std::uint16_t port() const { return server_.port(); }
    Server& operator*() { return server_; }
    Server* operator->() { return &server_; }

private:
    Server server_;
};

// Until it holds, for ten seconds at most.
inline bool soon(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

}  // namespace bayplan::http
