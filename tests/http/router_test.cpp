// Paths, verbs and what is answered where there is no route: the same as of the router in front of YuniKorn.
#include <gtest/gtest.h>

#include "http/escapes.h"
#include "world.h"

namespace bayplan::http {
namespace {

Router router_of_test() { return {plain_routes(), "*"}; }

Response ask(std::string method, std::string target) {
    Request request;
    request.method = std::move(method);
    request.target = target;
    request.path = unescape_path(target.substr(0, target.find('?'))).text;
    if (target.find('?') != std::string::npos) request.query = target.substr(target.find('?') + 1);
    static const Router router = router_of_test();
    return router.answer(request);
}

std::string header_of(const Response& response, std::string_view name) {
    for (const Header& header : response.headers) {
        if (same_name(header.name, name)) return header.value;
    }
    return {};
}

struct Case {
    const char* method;
    const char* target;
    unsigned status;
    const char* header;  // Location or Allow
};

constexpr Case kCases[] = {
    {"GET", "/hello", 200, ""},
    {"GET", "/item/a%2520b/parts", 200, ""},
    {"GET", "/item//parts", 200, ""},
    {"GET", "/thing/a", 200, ""},
    {"GET", "/thing/", 404, ""},
    {"GET", "/thing", 404, ""},
    {"GET", "/thing/a/", 301, "/thing/a"},
    {"GET", "/nothing", 404, ""},
    {"GET", "/", 404, ""},
    {"GET", "/item/a", 404, ""},
    {"GET", "/item/a/b/parts", 404, ""},
    {"POST", "/nothing", 404, ""},
    {"OPTIONS", "/nothing", 404, ""},
    {"POST", "/hello", 405, "GET, OPTIONS"},
    {"HEAD", "/hello", 405, "GET, OPTIONS"},
    {"HEAD", "/hello/", 404, ""},
    {"DELETE", "/item/a/parts", 405, "GET, OPTIONS"},
    {"GET", "/echo", 405, "OPTIONS, POST"},
    {"OPTIONS", "/hello", 200, "GET, OPTIONS"},
    {"OPTIONS", "/echo", 200, "OPTIONS, POST"},
    {"OPTIONS", "*", 200, ""},
    {"GET", "/hello/", 301, "/hello"},
    {"GET", "/hello/?a=1&b", 301, "/hello?a=1&b"},
    {"GET", "/Hello", 301, "/hello"},
    {"GET", "/HELLO/", 301, "/hello"},
    {"GET", "//hello", 301, "/hello"},
    {"GET", "/a/../hello", 301, "/hello"},
    {"GET", "/Item/Anna/Parts", 301, "/item/Anna/parts"},
    {"GET", "/Item/a%20%22b/Parts", 301, "/item/a%20%22b/parts"},
    {"GET", "//evil.example/hello", 404, ""},
    {"POST", "/echo/", 308, "/echo"},
    {"GET", "/old", 301, "/hello"},
};

TEST(Router, paths_and_verbs) {
    for (const Case& one : kCases) {
        SCOPED_TRACE(std::string(one.method) + " " + one.target);
        const Response response = ask(one.method, one.target);
        EXPECT_EQ(response.status, one.status);
        const bool moved = one.status == 301 || one.status == 308;
        EXPECT_EQ(header_of(response, moved ? "Location" : "Allow"), one.header);
    }
}

TEST(Router, what_it_answers_by_itself_has_its_text_and_no_cors) {
    const Response missing = ask("GET", "/nothing");
    EXPECT_EQ(missing.body, "404 page not found\n");
    EXPECT_EQ(missing.content_type, "text/plain; charset=utf-8");
    EXPECT_EQ(header_of(missing, "X-Content-Type-Options"), "nosniff");
    const Response moved = ask("GET", "/hello/");
    EXPECT_EQ(moved.body, "<a href=\"/hello\">Moved Permanently</a>.\n\n");
    EXPECT_EQ(moved.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(ask("POST", "/hello").body, "Method Not Allowed\n");
    EXPECT_EQ(ask("POST", "/echo/").body, "");
    EXPECT_EQ(ask("OPTIONS", "/hello").content_type, "");
    for (const char* target : {"/nothing", "/hello/", "/old"}) {
        EXPECT_EQ(header_of(ask("GET", target), "Access-Control-Allow-Origin"), "") << target;
    }
    EXPECT_EQ(header_of(ask("OPTIONS", "/hello"), "Access-Control-Allow-Origin"), "");
}

TEST(Router, a_handlers_answer_has_cors_as_set) {
    const Response found = ask("GET", "/hello");
    EXPECT_EQ(header_of(found, "Access-Control-Allow-Origin"), "*");
    EXPECT_EQ(header_of(found, "Access-Control-Allow-Methods"), "GET, OPTIONS");
    EXPECT_EQ(header_of(found, "Access-Control-Allow-Headers"), "X-Requested-With,Content-Type,Accept,Origin");
    EXPECT_EQ(header_of(ask("POST", "/echo"), "Access-Control-Allow-Methods"), "OPTIONS, POST");
    Request request;
    request.method = "GET";
    request.path = "/hello";
    EXPECT_TRUE(Router(plain_routes(), "").answer(request).headers.empty());
}

TEST(Router, parameters_are_decoded_once) {
    EXPECT_EQ(ask("GET", "/item/a%2520b/parts").body, "a%20b\n");
    EXPECT_EQ(ask("GET", "/item/x+y/parts").body, "x+y\n");
    EXPECT_EQ(ask("GET", "/item//parts").body, "\n");
}

TEST(Router, what_a_handler_throws_is_a_500) { EXPECT_EQ(ask("GET", "/fault").status, 500U); }

}  // namespace
}  // namespace bayplan::http
