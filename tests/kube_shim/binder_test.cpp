// Bindings against a server that answers by a script: nothing is bound twice, nothing is left in doubt.
#include "kube_shim/binder.h"

#include <gmock/gmock.h>

#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::ElementsAre;

const std::string kPod = "/api/v1/namespaces/default/pods/a";
const std::string kCreated = answer_bytes(201, R"({"kind":"Status","status":"Success","code":201})");
const std::string kConflict =
    answer_bytes(409, R"({"kind":"Status","status":"Failure","message":"pod a is already assigned","code":409})");

std::string pod(const std::string& node, const std::string& uid = "u-a") {
    return answer_bytes(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":")" +
                                 uid + R"("},"spec":{"nodeName":")" + node + R"("}})");
}

Exchange posted(const std::string& answer) { return {"POST", kPod + "/binding", {}, {{answer, 0}}, true}; }
Exchange looked_at(const std::string& answer) { return {"GET", kPod, {}, {{answer, 0}}, true}; }

struct Bound {
    explicit Bound(std::vector<Exchange> exchanges, PlayedServer::Faults faults = {})
        : server(std::move(exchanges), std::move(faults)), http(access_to(server)) {}

    void bind() { binder.bind({"default/a", "u-a"}, "n1"); }
    void turn() {
        http.turn(std::chrono::milliseconds(1));
        timers.turn(Clock::now());
        requests.turn(Clock::now());
    }
    bool ends() {
        return until([this] { turn(); }, [this] { return binder.under_way() == 0; });
    }

    PlayedServer server;
    HttpClient http;
    Timers timers;
    Random random{3};
    PacedRequests requests{http};
    std::vector<std::string> outcomes;
    Binder binder{
        requests,
        timers,
        random,
        [this](const PodName& name, const std::string& node) { outcomes.push_back(name.key + " on " + node); },
        [this](const PodName&, const std::string& why) { outcomes.push_back(why); },
        std::chrono::milliseconds(4)};
};

TEST(Binder, a_pod_is_bound_by_one_post_that_names_its_uid) {
    Bound world({posted(kCreated)});
    world.bind();
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("default/a on n1"));
    const std::vector<CameIn> requests = world.server.requests();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].body,
              R"({"apiVersion":"v1","kind":"Binding","metadata":{"namespace":"default","name":"a","uid":"u-a"},)"
              R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
}

TEST(Binder, a_conflict_is_looked_at) {
    struct Case {
        std::string answer;
        std::string outcome;
    };
    for (const Case& one :
         {Case{pod("n1"), "default/a on n1"}, Case{pod("n2"), "it is bound to n2"},
          Case{pod("", "u-b"), "another pod has its name"}, Case{answer_bytes(404, "{}"), "the pod is gone"}}) {
        Bound world({posted(kConflict), looked_at(one.answer)});
        world.bind();
        ASSERT_TRUE(world.ends());
        EXPECT_THAT(world.outcomes, ElementsAre(one.outcome));
        EXPECT_EQ(world.server.count("POST", "binding"), 1u);
    }
}

TEST(Binder, after_a_cut_answer_nothing_is_posted_again_before_a_look) {
    const PlayedServer::Fault closed{PlayedServer::Fault::Kind::close};
    bool first = true;
    const auto faults = [&](const CameIn& came) {
        return came.method == "POST" && std::exchange(first, false) ? &closed : nullptr;
    };
    Bound was_done({looked_at(pod("n1"))}, faults);
    was_done.bind();
    ASSERT_TRUE(was_done.ends());
    EXPECT_THAT(was_done.outcomes, ElementsAre("default/a on n1"));
    EXPECT_EQ(was_done.server.count("POST", "binding"), 1u);

    first = true;
    Bound was_not({looked_at(pod("")), posted(kCreated)}, faults);
    was_not.bind();
    ASSERT_TRUE(was_not.ends());
    EXPECT_THAT(was_not.outcomes, ElementsAre("default/a on n1"));
    const std::vector<CameIn> requests = was_not.server.requests();
    ASSERT_EQ(requests.size(), 3u);
    EXPECT_EQ(requests[1].method, "GET");
}

TEST(Binder, too_many_requests_is_sent_again_and_makes_the_rest_wait) {
    const PlayedServer::Fault busy{PlayedServer::Fault::Kind::answer,
                                   answer_bytes(429, R"({"kind":"Status","code":429})", "Retry-After: 0\r\n")};
    int refusals = 2;
    Bound world({posted(kCreated)}, [&](const CameIn&) { return refusals-- > 0 ? &busy : nullptr; });
    const std::size_t before = world.requests.at_once();
    world.bind();
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("default/a on n1"));
    EXPECT_EQ(world.requests.counters().too_many, 2u);
    EXPECT_LT(world.requests.at_once(), before);
    EXPECT_EQ(world.server.count("GET", "pods"), 0u) << "it was not done: there is nothing to look at";
}

TEST(Binder, a_server_that_never_binds_is_not_asked_for_ever) {
    std::vector<Exchange> exchanges;
    for (unsigned i = 0; i < Binder::kPostsMax; ++i) {
        exchanges.push_back(posted(answer_bytes(500, "{}")));
        exchanges.push_back(looked_at(pod("")));
    }
    Bound world(std::move(exchanges));
    world.bind();
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("not bound after 5 tries"));
    EXPECT_TRUE(world.server.unexpected().empty());
}

TEST(Binder, a_refusal_is_told_in_the_servers_words) {
    Bound world({posted(answer_bytes(403, R"({"kind":"Status","message":"forbidden: no","code":403})"))});
    world.bind();
    ASSERT_TRUE(world.ends());
    EXPECT_THAT(world.outcomes, ElementsAre("status 403: forbidden: no"));
}

TEST(Binder, of_a_pod_that_is_gone_nothing_is_told) {
    Bound world({posted(kConflict), looked_at(pod("n2"))});
    world.bind();
    world.binder.forget("default/a", "u-a");
    ASSERT_TRUE(until([&] { world.turn(); },
                      [&] { return world.requests.running() == 0 && world.requests.counters().sent == 1; }));
    EXPECT_TRUE(world.outcomes.empty());
}

TEST(PacedRequests, events_wait_for_the_answers_of_others_but_for_a_few) {
    // Bindings are never answered here, events at once.
    const PlayedServer::Fault silent{PlayedServer::Fault::Kind::silent};
    const PlayedServer::Fault fine{PlayedServer::Fault::Kind::answer, answer_bytes(201, "{}")};
    PlayedServer server({}, [&](const CameIn& came) { return came.target == "/binding" ? &silent : &fine; });
    HttpClient http(access_to(server));
    PacedRequests requests(http);
    const auto post = [](const std::string& path) {
        return HttpRequest{.method = "POST", .path = path, .body = "{}", .content_type = "application/json"};
    };
    int told = 0;
    for (int i = 0; i < 30; ++i) {
        requests.submit(RequestKind::event, post("/event"), [&](HttpAnswer&&) { ++told; });
    }
    requests.submit(RequestKind::binding, post("/binding"), [](HttpAnswer&&) {});
    requests.turn(Clock::now());
    EXPECT_EQ(requests.running(RequestKind::binding), 1u);
    EXPECT_EQ(requests.running(RequestKind::event), PacedRequests::kEventsBeside);
    EXPECT_EQ(requests.next_due(), Clock::time_point::max());
    const auto turn = [&] {
        http.turn(std::chrono::milliseconds(1));
        requests.turn(Clock::now());
        EXPECT_LE(requests.running(RequestKind::event), PacedRequests::kEventsBeside);
    };
    EXPECT_TRUE(until(turn, [&] { return told == 30; })) << "a few at a time, they are not held for ever";
}

TEST(PacedRequests, without_others_events_go_as_all_do) {
    const PlayedServer::Fault fine{PlayedServer::Fault::Kind::answer, answer_bytes(201, "{}")};
    PlayedServer server({}, [&](const CameIn&) { return &fine; });
    HttpClient http(access_to(server));
    PacedRequests requests(http);
    for (std::size_t i = 0; i < PacedRequests::kAtOnceFirst + 5; ++i) {
        requests.submit(RequestKind::event,
                        HttpRequest{.method = "POST", .path = "/event", .body = {}, .content_type = {}},
                        [](HttpAnswer&&) {});
    }
    requests.turn(Clock::now());
    EXPECT_EQ(requests.running(RequestKind::event), PacedRequests::kAtOnceFirst);
}

TEST(PacedRequests, a_request_that_ends_something_goes_before_its_likes) {
    const PlayedServer::Fault fine{PlayedServer::Fault::Kind::answer, answer_bytes(200, "{}")};
    PlayedServer server({}, [&](const CameIn&) { return &fine; });
    HttpClient http(access_to(server));
    PacedRequests requests(http);
    std::string order;
    const auto submit = [&](char name, bool next) {
        const auto take = [&order, name](HttpAnswer&&) { order += name; };
        const HttpRequest request{.method = "POST", .path = "/a", .body = {}, .content_type = {}};
        next ? requests.submit_next(RequestKind::victim, request, take)
             : requests.submit(RequestKind::victim, request, take);
    };
    requests.only_while([&] { return requests.running() == 0; });
    submit('a', false);
    submit('b', false);
    submit('c', true);
    const auto turn = [&] {
        requests.turn(Clock::now());
        http.turn(std::chrono::milliseconds(1));
    };
    ASSERT_TRUE(until(turn, [&] { return order.size() == 3; }));
    EXPECT_EQ(order, "cab");
}

TEST(PacedRequests, no_more_are_under_way_than_the_server_takes_well) {
    const PlayedServer::Fault silent{PlayedServer::Fault::Kind::silent};
    PlayedServer server({}, [&](const CameIn&) { return &silent; });
    HttpClient http(access_to(server));
    PacedRequests requests(http);
    for (int i = 0; i < 100; ++i) {
        requests.submit(RequestKind::status, get_pod("default/e"), [](HttpAnswer&&) {});
    }
    requests.submit(RequestKind::binding, get_pod("default/b"), [](HttpAnswer&&) {});
    requests.turn(Clock::now());
    EXPECT_EQ(requests.running(), PacedRequests::kAtOnceFirst);
    EXPECT_EQ(requests.waiting(RequestKind::binding), 0u) << "bindings go first";
    EXPECT_EQ(requests.waiting(RequestKind::status), 101 - PacedRequests::kAtOnceFirst);
}

}  // namespace
}  // namespace bayplan::kube_shim
