// Requests to one API server over libcurl's multi interface: HTTP/2 where served, many at a time on few connections.
//
// A connection on which nothing comes any more is given up with all that is on it: with HTTP/2 every later request would
// share its fate.
//
// Thread: one; callbacks run inside turn() and may start and cancel requests. Owns its connections. Errors: an answer
// with status 0 and a text.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube_shim/access.h"

namespace bayplan::kube_shim {

using Clock = std::chrono::steady_clock;

struct HttpRequest {
    std::string method = "GET";
    std::string path;  // with its query
    std::string body;
    std::string content_type;
    std::chrono::milliseconds timeout{30'000};  // of the whole, or, of a stream, without a byte
};

struct HttpAnswer {
    int status = 0;     // 0: there was no answer, and `error` says why
    std::string body;   // whole; of a stream empty unless it was refused
    std::string error;  // also of an answer that was cut
    bool timed_out = false;
    std::optional<std::chrono::seconds> retry_after;

    bool ok() const { return status >= 200 && status < 300 && error.empty(); }
};

class HttpClient {
public:
    using Id = std::uint64_t;
    using OnAnswer = std::function<void(HttpAnswer&&)>;
    using OnBytes = std::function<void(std::string_view)>;

    explicit HttpClient(ApiAccess);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // `on_bytes` given: the body of a 200 is a stream, handed over as it comes.
    Id start(HttpRequest, OnAnswer, OnBytes on_bytes = {});
    // Sends requests that were started at once, not with the next turn: its caller will be busy. Calls nobody back.
    void send();
    // No callback of it is called any more.
    void cancel(Id);

    // Waits for at most so long, then moves everything that can move. Returns whether anything did.
    bool turn(std::chrono::milliseconds wait);

    std::size_t running() const;
    std::uint64_t renewals() const;  // connections given up because nothing came

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// For a path or a query: everything but letters, digits and -._~ as %XX.
std::string url_escaped(std::string_view text);

}  // namespace bayplan::kube_shim
