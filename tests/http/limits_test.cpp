// Things that a client cannot make the server keep or wait for.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "world.h"

namespace bayplan::http {
namespace {

using std::chrono::milliseconds;

TEST(Limits, a_thousand_connections_are_served_at_once) {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    ASSERT_GE(files.rlim_cur, 2'100U) << "both ends are in this process";
    ServerOptions options = options_of_test();
    options.connections_of_address_max = 1'000;
    RunningServer server(options);
    std::vector<std::unique_ptr<Client>> clients;
    for (int count = 0; count < 1'000; ++count) {
        clients.push_back(std::make_unique<Client>(server.port()));
        ASSERT_TRUE(clients.back()->connected());
    }
    for (const auto& client : clients) ASSERT_TRUE(client->send(request_of("GET", "/hello")));
    for (const auto& client : clients) ASSERT_EQ(client->receive().body, "hello\n");
    EXPECT_EQ(server->counters().connections_open, 1'000U);
    Client further(server.port());
    EXPECT_EQ(further.receive().status, 503);
    EXPECT_EQ(server->counters().refused_of_address, 1U);
    clients.clear();
    EXPECT_TRUE(soon([&] { return server->counters().connections_open == 0; }));
    EXPECT_EQ(get(server.port(), "/hello").status, 200);
}

TEST(Limits, connections_overall) {
    ServerOptions options = options_of_test();
    options.connections_max = 2;
    RunningServer server(options);
    Client one(server.port());
    Client two(server.port());
    ASSERT_TRUE(soon([&] { return server->counters().connections_open == 2; }));
    Client three(server.port());
    EXPECT_EQ(three.receive().status, 503);
    EXPECT_TRUE(three.closed());
    EXPECT_EQ(server->counters().refused_overall, 1U);
}

TEST(Limits, half_of_the_descriptors_is_for_others) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    rlimit few = before;
    few.rlim_cur = 40;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    RunningServer server;
    setrlimit(RLIMIT_NOFILE, &before);
    std::vector<std::unique_ptr<Client>> clients;
    for (int count = 0; count < 20; ++count) clients.push_back(std::make_unique<Client>(server.port()));
    ASSERT_TRUE(soon([&] { return server->counters().connections_open == 20; }));
    EXPECT_EQ(Client(server.port()).receive().status, 503);
}

TEST(Limits, a_head_that_comes_byte_by_byte_has_an_end) {
    ServerOptions options = options_of_test();
    options.head_within = milliseconds(300);
    RunningServer server(options);
    Client slow(server.port());
    std::thread drip([&] {
        for (const char letter : request_of("GET", "/hello", "X: " + std::string(10'000, 'x') + "\r\n")) {
            if (!slow.send(std::string_view(&letter, 1))) return;
            std::this_thread::sleep_for(milliseconds(5));
        }
    });
    EXPECT_TRUE(slow.closed());
    EXPECT_EQ(get(server.port(), "/hello").status, 200);
    EXPECT_TRUE(soon([&] { return server->counters().timeouts_reading == 1; }));
    drip.join();
}

TEST(Limits, a_body_that_never_comes_has_an_end) {
    ServerOptions options = options_of_test();
    options.body_within = milliseconds(200);
    RunningServer server(options);
    Client slow(server.port());
    slow.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nsome");
    EXPECT_TRUE(slow.closed());
    EXPECT_TRUE(soon([&] { return server->counters().timeouts_reading == 1; }));
}

TEST(Limits, connections_that_ask_nothing_are_closed) {
    ServerOptions options = options_of_test();
    options.idle_for = milliseconds(200);
    options.head_within = milliseconds(200);
    RunningServer server(options);
    Client never(server.port());
    Client once(server.port());
    once.send(request_of("GET", "/hello"));
    EXPECT_EQ(once.receive().status, 200);
    EXPECT_TRUE(never.closed());
    EXPECT_TRUE(once.closed());
    EXPECT_TRUE(soon([&] { return server->counters().timeouts_idle == 2; }));
}

TEST(Limits, a_client_that_takes_nothing_is_cut) {
    ServerOptions options = options_of_test();
    options.write_within = milliseconds(300);
    RunningServer server(options);
    Client deaf(server.port());
    for (int count = 0; count < 20; ++count) deaf.send(request_of("GET", "/large"));
    EXPECT_TRUE(soon([&] { return server->counters().timeouts_writing == 1; }));
    EXPECT_TRUE(soon([&] { return server->counters().connections_open == 0; }));
}

TEST(Limits, heads_and_bodies_have_a_size) {
    RunningServer server;
    const std::string large = "X: " + std::string(17'000, 'x') + "\r\n";
    EXPECT_EQ(get(server.port(), "/hello", large).status, 431);
    Client announced(server.port());
    announced.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n");
    EXPECT_EQ(announced.receive().status, 413);
    EXPECT_TRUE(announced.closed());
    // It sends all of it before it reads: the answer must not be lost.
    Client rude(server.port());
    rude.send(request_of("POST", "/echo", "", std::string(1'500'000, 'b')));
    EXPECT_EQ(rude.receive().status, 413);
    Client chunked(server.port());
    chunked.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'c') + "\r\n";
    for (int count = 0; count < 16; ++count) chunked.send(chunk);
    chunked.send("1\r\nc\r\n");
    EXPECT_EQ(chunked.receive().status, 413);
}

TEST(Limits, bodies_of_all_requests_together_have_one_too) {
    ServerOptions options = options_of_test();
    options.bodies_bytes_max = 1'000;
    RunningServer server(options);
    Client first(server.port());
    first.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n");
    ASSERT_TRUE(soon([&] { return server->counters().bytes_in > 0; }));
    Client second(server.port());
    second.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n");
    EXPECT_EQ(second.receive().status, 503);
    first.send(std::string(900, 'b'));
    EXPECT_EQ(first.receive().status, 200);
    Client third(server.port());
    third.send(request_of("POST", "/echo", "", std::string(900, 'b')));
    EXPECT_EQ(third.receive().status, 200);
}

TEST(Limits, what_is_no_http_is_refused) {
    RunningServer server;
    for (const char* bytes : {"nonsense\r\n\r\n", "GET /hello HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x00\x01\r\n\r\n"}) {
        Client client(server.port());
        client.send(bytes);
        EXPECT_EQ(client.receive().status, 400) << bytes;
        EXPECT_TRUE(client.closed());
    }
}

}  // namespace
}  // namespace bayplan::http
