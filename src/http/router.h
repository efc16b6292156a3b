// Which handler answers a path and a verb, and the answers where there is none: as the router in front of YuniKorn does
// it, so
// that its clients see no difference (unknown paths 404, other verbs 405 with Allow, OPTIONS answered with Allow alone,
// a slash
// too many or another case sent on to the path that was meant).
//
// Thread: constant after it was made; any thread may ask. Cost: linear in the path, for each route.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace bayplan::http {

// Runs on the server's thread, and everybody waits for it: long answers are sources.
using Handler = std::function<Response(const Request&)>;

struct Route {
    std::string method;
    std::string pattern;  // "/ws/v1/partition/{partition}/queues": a name in braces stands for one part
    Handler handler;
    bool cors = true;  // answers carry the CORS headers, if there are any
};

// Answers with 301 and the path in question.
Handler redirect_to(std::string path);

class Router {
public:
    // `origin`: of Access-Control-Allow-Origin; empty: no CORS headers at all.
    Router(std::vector<Route> routes, std::string origin);

    // `request` gets its parameters. An exception of a handler becomes a 500.
    Response answer(Request& request) const;

private:
    struct Entry {
        Route route;
        std::vector<std::string> parts;
    };
    enum class Case { exact, any };

    const Entry* find(std::string_view method, std::string_view path, Case, std::string* canonical) const;
    std::string allowed(std::string_view path) const;  // empty: no route has this path
    std::string meant_path(const Request&) const;      // empty: none
    Response handle(const Entry&, Request&) const;

    std::vector<Entry> entries_;
    std::string origin_;
};

}  // namespace bayplan::http
