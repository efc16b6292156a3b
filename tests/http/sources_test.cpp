// Answers that arise piece by piece: asked for as the client takes them, woken, ended.
#include <gtest/gtest.h>

#include <mutex>

#include "world.h"

namespace bayplan::http {
namespace {

// Counts up; how far it was asked is seen from outside.
class Numbers : public ChunkSource {
public:
    Numbers(std::atomic<int>& asked, std::atomic<int>& living, int count)
        : asked_(asked), living_(living), count_(count) {
        ++living_;
    }
    ~Numbers() override { --living_; }
    State next(std::string& piece) override {
        piece += std::string(60'000, static_cast<char>('a' + asked_ % 26));
        return ++asked_ < count_ ? State::more : State::end;
    }

private:
    std::atomic<int>& asked_;
    std::atomic<int>& living_;
    int count_;
};

// A line at a time, as somebody else says them.
struct Mouth {
    std::mutex mutex;
    std::string said;
    bool finished = false;
    std::function<void()> wake;
    int listeners = 0;

    void say(const std::string& line, bool last = false) {
        const std::lock_guard lock(mutex);
        said += line;
        finished = last;
        if (wake) wake();
    }
};

class Ear : public ChunkSource {
public:
    explicit Ear(Mouth& mouth) : mouth_(mouth) {
        const std::lock_guard lock(mouth_.mutex);
        ++mouth_.listeners;
    }
    ~Ear() override {
        const std::lock_guard lock(mouth_.mutex);
        mouth_.wake = nullptr;
        --mouth_.listeners;
    }
    void on_wake(std::function<void()> wake) override {
        const std::lock_guard lock(mouth_.mutex);
        mouth_.wake = std::move(wake);
    }
    State next(std::string& piece) override {
        const std::lock_guard lock(mouth_.mutex);
        piece += std::exchange(mouth_.said, {});
        return mouth_.finished ? State::end : State::waiting;
    }

private:
    Mouth& mouth_;
};

class Broken : public ChunkSource {
public:
    State next(std::string& piece) override {
        if (begun_) throw std::runtime_error("in the middle");
        begun_ = true;
        piece = "half";
        return State::more;
    }

private:
    bool begun_ = false;
};

struct Sources : testing::Test {
    std::atomic<int> asked{0};
    std::atomic<int> living{0};
    Mouth mouth;
    int count = 10;

    Response numbers() {
        Response response;
        response.source = std::make_unique<Numbers>(asked, living, count);
        return response;
    }
    Response ear(bool may_compress) {
        Response response;
        response.may_compress = may_compress;
        response.source = std::make_unique<Ear>(mouth);
        return response;
    }
    std::vector<Route> routes() {
        std::vector<Route> all = plain_routes();
        all.push_back({"GET", "/numbers", [this](const Request&) { return numbers(); }});
        all.push_back({"GET", "/events", [this](const Request&) { return ear(false); }});
        all.push_back({"GET", "/packed", [this](const Request&) { return ear(true); }});
        all.push_back({"GET", "/broken", [](const Request&) {
                           Response response;
                           response.source = std::make_unique<Broken>();
                           return response;
                       }});
        return all;
    }
    int listeners() {
        const std::lock_guard lock(mouth.mutex);
        return mouth.listeners;
    }
};

TEST_F(Sources, a_source_is_read_to_its_end_and_the_connection_stays) {
    RunningServer server(options_of_test(), routes());
    Client client(server.port());
    client.send(request_of("GET", "/numbers") + request_of("GET", "/hello"));
    const Answer answer = client.receive();
    EXPECT_EQ(answer.header("Transfer-Encoding"), "chunked");
    EXPECT_EQ(answer.body.size(), 600'000U);
    EXPECT_EQ(client.receive().body, "hello\n");
    EXPECT_TRUE(soon([&] { return living == 0; }));
}

TEST_F(Sources, a_source_is_compressed_piece_by_piece) {
    RunningServer server(options_of_test(), routes());
    const Answer answer = get(server.port(), "/numbers", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(answer.header("Content-Encoding"), "gzip");
    EXPECT_EQ(gunzip(answer.body).size(), 600'000U);
    EXPECT_LT(answer.body.size(), 60'000U);
}

TEST_F(Sources, an_old_client_gets_it_without_chunks) {
    RunningServer server(options_of_test(), routes());
    Client client(server.port());
    client.send("GET /numbers HTTP/1.0\r\n\r\n");
    const Answer answer = client.receive();
    EXPECT_FALSE(answer.has("Transfer-Encoding"));
    EXPECT_EQ(answer.body.size(), 600'000U);
}

TEST_F(Sources, a_slow_client_makes_no_queue) {
    count = 1'000'000;
    RunningServer server(options_of_test(), routes());
    {
        Client client(server.port());
        client.send(request_of("GET", "/numbers"));
        ASSERT_TRUE(soon([&] { return asked > 0; }));
        int before = -1;
        ASSERT_TRUE(soon([&] {
            const bool rests = before == asked;
            before = asked;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return rests;
        }));
        EXPECT_LT(asked, 1'000);  // as many as the kernel's buffers take
        EXPECT_EQ(get(server.port(), "/hello").status, 200);
    }
    EXPECT_TRUE(soon([&] { return living == 0; }));
}

TEST_F(Sources, what_comes_later_is_sent_when_it_comes) {
    RunningServer server(options_of_test(), routes());
    Client client(server.port());
    client.send(request_of("GET", "/events", "Accept-Encoding: gzip\r\n"));
    const auto receive_until = [&](std::string_view text) {
        std::string all;
        while (all.find(text) == std::string::npos) {
            const std::string some = client.receive_some();
            if (some.empty()) break;
            all += some;
        }
        return all;
    };
    mouth.say("one\n");
    const std::string first = receive_until("one\n");
    EXPECT_EQ(first.find("Content-Encoding"), std::string::npos);
    mouth.say("two\n");
    EXPECT_EQ(receive_until("two\n"), "4\r\ntwo\n\r\n");
    mouth.say("three\n", true);
    EXPECT_EQ(receive_until("0\r\n\r\n"), "6\r\nthree\n\r\n0\r\n\r\n");
}

TEST_F(Sources, compressed_or_not_each_piece_can_be_read_at_once) {
    RunningServer server(options_of_test(), routes());
    Client client(server.port());
    client.send(request_of("GET", "/packed", "Accept-Encoding: gzip\r\n"));
    mouth.say(std::string(100, 'p'));
    ASSERT_FALSE(client.receive_some().empty());
    ASSERT_TRUE(soon([&] { return listeners() == 1; }));
    mouth.say("the end", true);
}

TEST_F(Sources, a_client_that_leaves_while_nothing_happens_is_noticed) {
    RunningServer server(options_of_test(), routes());
    {
        Client client(server.port());
        client.send(request_of("GET", "/events"));
        ASSERT_FALSE(client.receive_some().empty());  // else the kernel resets the connection
        ASSERT_TRUE(soon([&] { return listeners() == 1; }));
        client.send("and what it says besides\r\n");
    }
    EXPECT_TRUE(soon([&] { return listeners() == 0; }));
}

TEST_F(Sources, waiting_sources_end_when_the_server_stops) {
    RunningServer server(options_of_test(), routes());
    Client client(server.port());
    client.send(request_of("GET", "/events"));
    ASSERT_TRUE(soon([&] { return listeners() == 1; }));
    server->stop();
    EXPECT_EQ(client.receive().body, "");  // with its last chunk
    EXPECT_TRUE(client.closed());
    EXPECT_EQ(listeners(), 0);
}

TEST_F(Sources, what_does_not_end_in_time_is_cut_at_the_stop) {
    count = 1'000'000;
    ServerOptions options = options_of_test();
    options.stop_within = std::chrono::milliseconds(100);
    RunningServer server(options, routes());
    Client client(server.port());
    client.send(request_of("GET", "/numbers"));
    ASSERT_TRUE(soon([&] { return asked > 0; }));
    server->stop();
    EXPECT_EQ(living, 0);
}

TEST_F(Sources, a_source_that_fails_ends_without_the_last_chunk) {
    RunningServer server(options_of_test(), routes());
    Client client(server.port());
    client.send(request_of("GET", "/broken"));
    EXPECT_THROW(client.receive(), std::runtime_error);
    EXPECT_EQ(get(server.port(), "/hello").status, 200);
}

}  // namespace
}  // namespace bayplan::http
