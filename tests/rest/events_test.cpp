// Endpoints of events through the router, and streams as the server asks them: pieces, limits, a reader that is too slow.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "answers/events.h"
#include "rest/routes.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;
using events::Event;
using State = http::ChunkSource::State;

class EventEndpoints : public ::testing::Test {
protected:
    void happen(std::uint64_t count) {
        for (std::uint64_t at = 0; at < count; ++at) {
            const std::string object = "n" + std::to_string(happened_++);
            store_.append({.type = events::EventType::node,
                           .change = events::EventChange::add,
                           .detail = events::EventDetail::node_alloc,
                           .time_ns = 12,
                           .object = object,
                           .reference = "pod"});
        }
        store_.wake_waiting();
    }

    http::Response ask(const std::string& path, const std::string& query = {}, const std::string& host = "here") {
        http::Request request;
        request.method = "GET";
        request.path = "/ws/v1/events/" + path;
        request.query = query;
        request.headers = {{"Host", host}};
        return router_.answer(request);
    }
    json::value batch(const std::string& query) {
        http::Response response = ask("batch", query);
        EXPECT_EQ(response.status, 200u) << query << response.body;
        EXPECT_EQ(response.content_type, "application/json; charset=UTF-8");
        std::string text = std::move(response.body);
        while (response.source != nullptr && response.source->next(text) != State::end) {
        }
        EXPECT_TRUE(text.ends_with('\n'));
        return json::parse(text);
    }
    // "STATUS message".
    std::string fault(const std::string& path, const std::string& query, const std::string& host = "here") {
        const http::Response response = ask(path, query, host);
        const json::value error = json::parse(response.body);
        EXPECT_EQ(error.at("status_code").to_number<unsigned>(), response.status);
        return std::to_string(response.status) + " " + std::string(error.at("message").as_string());
    }
    // The names of the things in a piece, joined; faults of its form too.
    static std::string objects(const std::string& piece) {
        std::string all;
        for (std::size_t at = 0; at < piece.size();) {
            const std::size_t end = piece.find('\n', at);
            if (end == std::string::npos) return all + " NO END OF LINE";
            const json::value line = json::parse(piece.substr(at, end - at));
            const json::object& object = line.as_object();
            const json::value* const name = object.if_contains("objectID");
            all += (all.empty() ? "" : " ") +
                   (name != nullptr ? std::string(name->as_string()) : std::string(object.begin()->key()));
            at = end + 1;
        }
        return all;
    }

    std::uint64_t happened_ = 0;
    events::EventStore store_{{.events = 50, .bytes = 1 << 20}};
    ConfigBoard board_{show_config("partitions: []\n", {})};
    http::Router router_{routes({board_, nullptr, {&store_, {.batch_events = 20, .streams = 3, .streams_of_host = 2}}}),
                         "*"};
};

TEST_F(EventEndpoints, give_batches) {
    const json::value empty = batch("");
    EXPECT_EQ(empty.at("InstanceUUID"), json::string_view(store_.instance()));
    EXPECT_TRUE(empty.at("EventRecords").is_null());
    happen(30);
    const json::value first = batch("");
    EXPECT_EQ(first.at("LowestID"), 0);
    EXPECT_EQ(first.at("HighestID"), 29);
    EXPECT_EQ(first.at("EventRecords").as_array().size(), 20u);
    EXPECT_EQ(json::serialize(first.at("EventRecords").at(0)),
              R"({"type":3,"objectID":"n0","timestampNano":12,"eventChangeType":2,"eventChangeDetail":303,)"
              R"("referenceID":"pod","resource":{}})");
    EXPECT_EQ(batch("count=1000&start=5").at("EventRecords").as_array().size(), 20u);
    EXPECT_EQ(batch("count=2&start=5").at("EventRecords").at(1).at("objectID"), "n6");
    EXPECT_EQ(batch("start=28").at("EventRecords").as_array().size(), 2u);
    EXPECT_TRUE(batch("start=30").at("EventRecords").is_null());
    EXPECT_EQ(batch("count=&start=").at("EventRecords").as_array().size(), 20u);
    happen(30);
    const json::value gone = batch("start=9");
    EXPECT_TRUE(gone.at("EventRecords").is_null());
    EXPECT_EQ(gone.at("LowestID"), 10);
    EXPECT_EQ(gone.at("HighestID"), 59);
}

TEST_F(EventEndpoints, say_what_is_wrong_with_a_number) {
    const auto parsing = [](const std::string& what) { return "400 strconv.ParseUint: parsing " + what; };
    EXPECT_EQ(fault("batch", "count=0"), "400 0 is not a valid value for \"count\"");
    EXPECT_EQ(fault("batch", "count=x"), parsing("\"x\": invalid syntax"));
    EXPECT_EQ(fault("batch", "count=x&start=y"), parsing("\"x\": invalid syntax"));
    EXPECT_EQ(fault("batch", "start=-1"), parsing("\"-1\": invalid syntax"));
    EXPECT_EQ(fault("batch", "start=%2B1"), parsing("\"+1\": invalid syntax"));
    EXPECT_EQ(fault("batch", "start=1a"), parsing("\"1a\": invalid syntax"));
    EXPECT_EQ(fault("batch", "start=18446744073709551616"), parsing("\"18446744073709551616\": value out of range"));
    EXPECT_TRUE(batch("start=18446744073709551615").at("EventRecords").is_null());
    EXPECT_EQ(fault("stream", "count=%22"), parsing(R"("\"": invalid syntax)"));
}

TEST_F(EventEndpoints, stream_what_was_and_what_comes) {
    happen(10);
    const http::Response response = ask("stream", "count=3");
    EXPECT_EQ(response.status, 200u);
    EXPECT_FALSE(response.may_compress);
    int woken = 0;
    response.source->on_wake([&] { ++woken; });
    std::string piece;
    EXPECT_EQ(response.source->next(piece), State::waiting);
    EXPECT_EQ(objects(piece), "InstanceUUID n7 n8 n9");
    happen(2);
    EXPECT_EQ(woken, 1);
    piece.clear();
    EXPECT_EQ(response.source->next(piece), State::waiting);
    EXPECT_EQ(objects(piece), "n10 n11");
    EXPECT_EQ(response.source->next(piece), State::waiting);
    EXPECT_EQ(objects(piece), "n10 n11");
}

TEST_F(EventEndpoints, stream_from_now_on_if_no_count_is_given) {
    happen(10);
    const http::Response response = ask("stream");
    happen(1);
    std::string piece;
    response.source->next(piece);
    EXPECT_EQ(objects(piece), "InstanceUUID n10");
}

TEST_F(EventEndpoints, cut_a_stream_that_is_too_slow) {
    const http::Response response = ask("stream");
    std::string piece;
    EXPECT_EQ(response.source->next(piece), State::waiting);
    happen(50);
    const http::Response other = ask("stream", "count=50");
    happen(1);
    piece.clear();
    EXPECT_EQ(response.source->next(piece), State::end);
    EXPECT_EQ(json::parse(piece).at("message"), "Event stream was closed by the producer");
    EXPECT_EQ(json::parse(piece).at("status_code"), 500);
    EXPECT_EQ(store_.counters().streams_cut, 1u);
    piece.clear();
    EXPECT_EQ(other.source->next(piece), State::end);  // before its first event
    EXPECT_EQ(store_.counters().streams_cut, 2u);
}

TEST_F(EventEndpoints, give_long_histories_in_pieces) {
    for (int at = 0; at < 50; ++at) {
        store_.append({.object = std::string(2'000, 'x')});
    }
    const http::Response response = ask("stream", "count=50");
    response.source->on_wake([] {});
    std::string all;
    int pieces = 0;
    State state = State::more;
    while (state == State::more) {
        std::string piece;
        state = response.source->next(piece);
        EXPECT_LE(piece.size(), 64u << 10);
        ++pieces;
        all += piece;
    }
    EXPECT_GT(pieces, 3);
    EXPECT_EQ(std::ranges::count(all, '\n'), 51);
}

// The answer takes no copy of all events: a reader that is slow has fewer of them, in a sound text.
TEST_F(EventEndpoints, end_a_batch_where_events_have_given_way) {
    for (const bool slow : {false, true}) {
        for (int at = 0; at < 50; ++at) {
            store_.append({.object = std::string(2'000, 'x')});
        }
        const std::uint64_t first = store_.id_before_end(50);
        const answers::AnswerPtr answer = answers::event_batch(store_, first, 60);
        std::string text = answer->next();
        if (slow) {
            happen(50);
        } else {
            happen(5);
        }
        text += answers::whole(*answer);
        const json::value batch = json::parse(text);
        EXPECT_EQ(batch.at("HighestID"), first + 49);
        const std::size_t count = batch.at("EventRecords").as_array().size();
        EXPECT_EQ(count < 50, slow) << count;
        EXPECT_GT(count, 20u);
    }
}

TEST_F(EventEndpoints, limit_streams_of_a_host_and_overall) {
    constexpr const char* kTooMany = "503 Too many streaming connections";
    std::vector<http::Response> open;
    open.push_back(ask("stream", "", "a"));
    open.push_back(ask("stream", "", "a"));
    EXPECT_EQ(fault("stream", "", "a"), kTooMany);
    open.push_back(ask("stream", "", "b"));
    EXPECT_EQ(open.back().status, 200u);
    EXPECT_EQ(fault("stream", "", "c"), kTooMany);
    open.erase(open.begin());
    EXPECT_EQ(ask("stream", "", "a").status, 200u);  // and is gone at once
    EXPECT_EQ(ask("stream", "", "c").status, 200u);
}

TEST(EventsOff, are_said_to_be) {
    ConfigBoard board(show_config("partitions: []\n", {}));
    http::Router router(routes({board}), "*");
    for (const char* path : {"/ws/v1/events/batch", "/ws/v1/events/stream"}) {
        http::Request request;
        request.method = "GET";
        request.path = path;
        request.query = "count=x";
        const http::Response response = router.answer(request);
        EXPECT_EQ(response.status, 500u);
        EXPECT_EQ(json::parse(response.body).at("message"), "Event tracking is disabled");
    }
}

}  // namespace
}  // namespace bayplan::rest
