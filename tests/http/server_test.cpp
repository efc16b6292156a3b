// A server and clients over real sockets: answers, connections that stay, pipelining, gzip, the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace bayplan::http {
namespace {

TEST(Server, answers_and_keeps_the_connection) {
    RunningServer server;
    Client client(server.port());
    for (int turn = 0; turn < 3; ++turn) {
        ASSERT_TRUE(client.send(request_of("GET", "/hello")));
        const Answer answer = client.receive();
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, "hello\n");
        EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "*");
        EXPECT_TRUE(answer.has("Date"));
        EXPECT_FALSE(answer.has("Connection"));
    }
    EXPECT_EQ(server->counters().connections, 1U);
    EXPECT_EQ(server->counters().answers.at(200), 3U);
}

TEST(Server, closes_when_the_client_says_so) {
    RunningServer server;
    Client client(server.port());
    client.send(request_of("GET", "/hello", "Connection: close\r\n"));
    EXPECT_EQ(client.receive().header("Connection"), "close");
    EXPECT_TRUE(client.closed());
    Client old(server.port());
    old.send("GET /hello HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.receive().body, "hello\n");
    EXPECT_TRUE(old.closed());
}

TEST(Server, a_client_that_closed_its_side_is_still_answered) {
    RunningServer server;
    Client client(server.port());
    client.send(request_of("GET", "/hello") + request_of("GET", "/few"));
    client.stop_sending();
    EXPECT_EQ(client.receive().body, "hello\n");
    EXPECT_EQ(client.receive().body.size(), 1'399U);
    EXPECT_TRUE(client.closed());
}

TEST(Server, requests_ahead_are_answered_in_order) {
    RunningServer server;
    Client client(server.port());
    std::string all;
    for (int turn = 0; turn < 2'000; ++turn) all += request_of("POST", "/echo", "", std::to_string(turn));
    std::thread sender([&] { client.send(all); });
    for (int turn = 0; turn < 2'000; ++turn) ASSERT_EQ(client.receive().body, std::to_string(turn));
    sender.join();
}

TEST(Server, heads_have_the_length_and_no_body) {
    RunningServer server;
    Client client(server.port());
    client.send(request_of("HEAD", "/hello"));
    const Answer answer = client.receive(true);
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.header("Content-Length"), "19");
    client.send(request_of("GET", "/hello"));
    EXPECT_EQ(client.receive().body, "hello\n");  // right behind the head
}

TEST(Server, a_body_may_wait_to_be_asked_for) {
    RunningServer server;
    Client client(server.port());
    client.send("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    EXPECT_EQ(client.receive().status, 100);
    client.send("body");
    EXPECT_EQ(client.receive().body, "body");
}

TEST(Server, large_bodies_go_both_ways) {
    RunningServer server;
    Client client(server.port());
    const std::string body(1 << 20, 'b');
    client.send(request_of("POST", "/echo", "", body));
    EXPECT_EQ(client.receive().body, body);
    client.send(request_of("GET", "/large"));
    EXPECT_EQ(client.receive().body.size(), 3'000'000U);
}

TEST(Server, gzip_from_1400_bytes_on_for_clients_that_take_it) {
    RunningServer server;
    const Answer small = get(server.port(), "/few", "Accept-Encoding: gzip\r\n");
    EXPECT_FALSE(small.has("Content-Encoding"));
    const Answer packed = get(server.port(), "/words", "Accept-Encoding: deflate, gzip\r\n");
    EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
    EXPECT_EQ(packed.header("Vary"), "Accept-Encoding");
    EXPECT_EQ(gunzip(packed.body), std::string(1'400, 'w'));
    const Answer plain = get(server.port(), "/words", "Accept-Encoding: gzip;q=0\r\n");
    EXPECT_FALSE(plain.has("Content-Encoding"));
    EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
    EXPECT_EQ(plain.body.size(), 1'400U);
    const Answer large = get(server.port(), "/large", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(large.header("Transfer-Encoding"), "chunked");
    EXPECT_EQ(gunzip(large.body), std::string(3'000'000, 'x'));
}

TEST(Server, counts) {
    RunningServer server;
    const std::string request = request_of("GET", "/nothing");
    Client client(server.port());
    client.send(request);
    const Answer answer = client.receive();
    const CounterValues counters = server->counters();
    EXPECT_EQ(counters.requests, 1U);
    EXPECT_EQ(counters.answers, (std::map<unsigned, std::uint64_t>{{404, 1}}));
    EXPECT_EQ(counters.bytes_in, request.size());
    EXPECT_TRUE(soon([&] { return server->counters().bytes_out > answer.body.size(); }));
    EXPECT_EQ(counters.connections_open, 1U);
    client.stop_sending();
    EXPECT_TRUE(soon([&] { return server->counters().connections_open == 0; }));
}

TEST(Server, stops_with_idle_connections_and_answers_what_is_under_way) {
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    std::vector<Route> routes = plain_routes();
    routes.push_back({"GET", "/slow", [&](const Request&) {
                          inside = true;
                          while (!leave) std::this_thread::yield();
                          return text_answer("done\n");
                      }});
    RunningServer server(options_of_test(), std::move(routes));
    Client idle(server.port());
    Client used(server.port());
    used.send(request_of("GET", "/hello"));
    used.receive();
    Client busy(server.port());
    busy.send(request_of("GET", "/slow"));
    ASSERT_TRUE(soon([&] { return inside.load(); }));
    std::thread stopper([&] { server->stop(); });
    leave = true;
    EXPECT_EQ(busy.receive().body, "done\n");
    EXPECT_TRUE(idle.closed());
    EXPECT_TRUE(used.closed());
    stopper.join();
    EXPECT_EQ(server->counters().connections_open, 0U);
    EXPECT_FALSE(Client(server.port()).connected());
    server->stop();
}

TEST(Server, says_why_it_cannot_start) {
    RunningServer first;
    ServerOptions options = options_of_test();
    options.port = first.port();
    std::string error;
    EXPECT_FALSE(Server(options, Router({}, "")).start(error));
    EXPECT_EQ(error, "cannot listen at 127.0.0.1:" + std::to_string(first.port()) + ": Address already in use");
    options.address = "nowhere";
    EXPECT_FALSE(Server(options, Router({}, "")).start(error));
    EXPECT_EQ(error, "'nowhere' is no address");
}

}  // namespace
}  // namespace bayplan::http
