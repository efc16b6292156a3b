// Bytes to requests: sound ones in any cut, faulty ones each with its status.
#include <gtest/gtest.h>

#include "client.h"
#include "http/request_reader.h"

namespace bayplan::http {
namespace {

using State = RequestReader::State;

// As a connection does: what was not taken is offered again.
State feed(RequestReader& reader, std::string_view bytes, std::size_t at_once) {
    std::string buffer;
    while (true) {
        buffer.erase(0, reader.take(buffer));
        if (reader.state() == State::done || reader.state() == State::failed || bytes.empty()) return reader.state();
        buffer += bytes.substr(0, at_once);
        bytes.remove_prefix(std::min(at_once, bytes.size()));
    }
}

unsigned failure_of(std::string_view bytes) {
    RequestReader reader({});
    return feed(reader, bytes, 1'000) == State::failed ? reader.failure() : 0;
}

TEST(RequestReader, a_request_in_any_cut_is_the_same) {
    const std::string bytes =
        "POST /a%20b/c?x=1&y HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: t\r\n\r\n";
    for (std::size_t at_once = 1; at_once <= bytes.size(); ++at_once) {
        RequestReader reader({});
        ASSERT_EQ(feed(reader, bytes, at_once), State::done) << at_once;
        EXPECT_TRUE(reader.keeps_alive());
        const Request request = reader.take_request();
        EXPECT_EQ(request.method, "POST");
        EXPECT_EQ(request.path, "/a b/c");
        EXPECT_EQ(request.query, "x=1&y");
        EXPECT_EQ(request.header("x-one"), "1");
        EXPECT_EQ(request.body, "hello world");
    }
}

TEST(RequestReader, the_last_chunk_comes_in_pieces_with_whatever_follows_it) {
    const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string last :
         {"0\r\n", "00\r\n", "0\r\nT", "0\r\nT: t\r\n", "1\r\n0\r\n0\r\n", "000\r\n", "0;x\r\n"}) {
        for (std::size_t at_once : {std::size_t{1}, std::size_t{3}, head.size() + last.size(), std::size_t{1'000}}) {
            RequestReader reader({});
            EXPECT_EQ(feed(reader, head + last, at_once), State::body) << last << at_once;
            RequestReader whole({});
            EXPECT_EQ(feed(whole, head + last + "\r\n", at_once), last.back() == 'T' ? State::body : State::done)
                << last << at_once;
        }
    }
}

TEST(RequestReader, requests_follow_each_other_and_empty_lines_are_borne) {
    RequestReader reader({});
    std::string bytes =
        request_of("GET", "/one") + "\r\n" + request_of("POST", "/two", "", "body") + request_of("GET", "/three");
    std::vector<std::string> seen;
    while (true) {
        bytes.erase(0, reader.take(bytes));
        if (reader.state() != State::done) break;
        const Request request = reader.take_request();
        seen.push_back(request.path + request.body);
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"/one", "/twobody", "/three"}));
    EXPECT_TRUE(bytes.empty());
    EXPECT_EQ(reader.state(), State::head);
}

TEST(RequestReader, keep_alive_is_as_the_client_says) {
    const auto keeps = [](std::string_view bytes) {
        RequestReader reader({});
        EXPECT_EQ(feed(reader, bytes, 1'000), State::done);
        return reader.keeps_alive();
    };
    EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
}

TEST(RequestReader, other_forms_of_a_target) {
    const auto path_of = [](std::string_view line) {
        RequestReader reader({});
        EXPECT_EQ(feed(reader, std::string(line) + " HTTP/1.1\r\nHost: h\r\n\r\n", 1'000), State::done) << line;
        return reader.take_request().path;
    };
    EXPECT_EQ(path_of("GET http://host:80/a/b?c"), "/a/b");
    EXPECT_EQ(path_of("GET HTTP://host"), "/");
    EXPECT_EQ(path_of("OPTIONS *"), "*");
}

TEST(RequestReader, each_fault_has_its_status) {
    EXPECT_EQ(failure_of("nonsense\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("GET / HTTP/1.1\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("GET relative HTTP/1.1\r\nHost: a\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("GET * HTTP/1.1\r\nHost: a\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505U);
    EXPECT_EQ(failure_of("GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n"), 417U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
              400U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), 400U);
}

TEST(RequestReader, limits_have_theirs) {
    const std::string longer(20'000, 'a');
    EXPECT_EQ(failure_of("GET / HTTP/1.1\r\nHost: a\r\nX: " + longer + "\r\n\r\n"), 431U);
    EXPECT_EQ(failure_of("GET /" + longer), 431U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n"), 413U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"), 400U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n"), 413U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" + longer), 400U);
    EXPECT_EQ(failure_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"), 0U);
}

TEST(RequestReader, what_a_body_may_take_is_known_before_it_comes) {
    RequestReader reader({});
    feed(reader, "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 77\r\n\r\n", 1'000);
    EXPECT_EQ(reader.state(), State::body);
    EXPECT_EQ(reader.body_bytes_max(), 77U);
    EXPECT_TRUE(reader.expects_continue());
}

}  // namespace
}  // namespace bayplan::http
