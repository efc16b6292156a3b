// A request as a handler sees it, and the answer that it gives: a whole body, or a source of pieces that is asked for more as the
// client takes them. Nothing here knows the library that speaks HTTP.
//
// Thread: the server's, which runs handlers and sources; a request lives as long as its handler runs, an answer until it is sent.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bayplan::http {

struct Header {
    std::string name;
    std::string value;
};

struct Request {
    std::string method;
    std::string target;  // path and query as they were sent
    std::string path;    // decoded once
    std::string query;   // as it was sent, without its question mark
    std::vector<Header> headers;
    std::string body;
    std::vector<std::pair<std::string, std::string>> parameters;  // of the path, by the names of the route

    std::string_view header(std::string_view name) const;  // the first of this name in any case; "" if there is none
    std::string_view parameter(std::string_view name) const;
    // The first value of this name in the query, decoded; "" is a value.
    std::optional<std::string> query_value(std::string_view name) const;
};

// An answer that arises piece by piece. It lives until it has ended or its client is gone.
class ChunkSource {
public:
    enum class State {
        more,     // there is more, now
        waiting,  // nothing now: `wake` is called when there is
        end,
    };

    virtual ~ChunkSource() = default;

    // Appends a piece, 64 KiB or so at most. It is called when all before it has been handed to the kernel, so a slow client
    // makes no queue here.
    virtual State next(std::string& piece) = 0;

    // Before the first `next`: what to call, from any thread, after `waiting`. Not to be called any more once the source is
    // destroyed.
    virtual void on_wake(std::function<void()> wake);
};

struct Response {
    unsigned status = 200;
    std::string content_type;  // empty: none
    std::vector<Header> headers;
    std::string body;
    std::unique_ptr<ChunkSource> source;  // instead of a body
    bool may_compress = true;
    bool close = false;  // no further request on this connection
};

// A status and a line of text: the answers that a server gives by itself.
Response plain_answer(unsigned status, std::string_view text);
std::string_view reason_of(unsigned status);

}  // namespace bayplan::http
