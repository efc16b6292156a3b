// Leader election: who holds the lease, by the server's answers and the own clock.
#include "kube_shim/elector.h"

#include <gmock/gmock.h>

#include "kube_shim/paced_requests.h"
#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::HasSubstr;

const std::string kLeases = "/apis/coordination.k8s.io/v1/namespaces/bayplan/leases";
const std::string kLease = kLeases + "/bayplan-kube";

const std::string kTaken = R"({"kind":"Status","code":409})";

std::string lease(const std::string& holder, const std::string& version, int seconds = 15) {
    return answer_bytes(200,
                        R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"bayplan-kube",)"
                        R"("resourceVersion":")" +
                            version + R"("},"spec":{"holderIdentity":")" + holder + R"(","leaseDurationSeconds":)" +
                            std::to_string(seconds) + R"(,"leaseTransitions":4}})");
}
Exchange read(const std::string& answer) { return {"GET", kLease, {}, {{answer, 0}}, true}; }
Exchange written(const std::string& answer) { return {"PATCH", kLease, {}, {{answer, 0}}, true}; }

struct Election {
    explicit Election(std::vector<Exchange> exchanges, std::chrono::milliseconds deadline = std::chrono::seconds(60),
                      std::chrono::milliseconds retry = std::chrono::milliseconds(5))
        : server(std::move(exchanges)), http(access_to(server)) {
        options.identity = "me";
        options.renew_deadline = deadline;
        options.retry = retry;
        elector = std::make_unique<Elector>(http, options, [this](const std::string& line) { log += line + "\n"; });
    }
    void turn() {
        elector->turn(Clock::now());
        http.turn(std::chrono::milliseconds(1));
    }
    bool until_leading() {
        return until([this] { turn(); }, [this] { return elector->leads(Clock::now()); });
    }

    PlayedServer server;
    HttpClient http;
    LeaseOptions options;
    std::string log;
    std::unique_ptr<Elector> elector;
};

TEST(Elector, a_lease_that_is_not_there_is_made) {
    Election election({read(answer_bytes(404, "{}")), {"POST", kLeases, {}, {{lease("me", "1"), 0}}, true}});
    EXPECT_FALSE(election.elector->leads(Clock::now()));
    ASSERT_TRUE(election.until_leading());
    EXPECT_THAT(election.server.requests()[1].body, HasSubstr(R"("holderIdentity":"me")"));
}

TEST(Elector, a_lease_that_its_holder_gave_up_is_taken_by_its_version) {
    Election election({read(lease("", "8")), written(lease("me", "9"))});
    ASSERT_TRUE(election.until_leading());
    EXPECT_THAT(election.server.requests()[1].body, HasSubstr(R"({"metadata":{"resourceVersion":"8"})"));
    EXPECT_THAT(election.server.requests()[1].body, HasSubstr(R"("leaseTransitions":5)"));
}

TEST(Elector, a_lease_is_taken_when_it_was_seen_unchanged_for_its_duration) {
    Election election({read(lease("other", "1", 1)), read(lease("other", "2", 1)), read(lease("other", "2", 1)),
                       read(lease("other", "2", 1))});
    const Clock::time_point began = Clock::now();
    ASSERT_TRUE(until([&] { election.turn(); }, [&] { return election.server.count("GET", "") == 4; }));
    EXPECT_EQ(election.server.count("PATCH", ""), 0u);
    EXPECT_FALSE(election.elector->leads(Clock::now()));

    std::vector<Exchange> exchanges;
    for (int i = 0; i < 2'000; ++i) {
        exchanges.push_back(read(lease("other", "2", 1)));
    }
    exchanges.push_back(written(lease("me", "3")));
    Election late(std::move(exchanges));
    ASSERT_TRUE(late.until_leading());
    EXPECT_GE(Clock::now() - began, std::chrono::seconds(1)) << "measured by the own clock";
}

TEST(Elector, somebody_else_was_faster) {
    Election election({read(lease("", "1")), written(answer_bytes(409, kTaken)), read(lease("other", "2"))});
    ASSERT_TRUE(until([&] { election.turn(); }, [&] { return election.server.count("GET", "") == 2; }));
    EXPECT_FALSE(election.elector->leads(Clock::now()));
    EXPECT_FALSE(election.elector->lost()) << "it never led";
}

TEST(Elector, a_holder_that_finds_another_one_has_lost_for_good) {
    Election election({read(lease("", "1")), written(lease("me", "2")), written(answer_bytes(409, kTaken)),
                       read(lease("other", "3"))});
    ASSERT_TRUE(election.until_leading());
    ASSERT_TRUE(until([&] { election.turn(); }, [&] { return election.elector->lost(); }));
    EXPECT_FALSE(election.elector->leads(Clock::now()));
    EXPECT_THAT(election.log, HasSubstr("the lease is other's"));
}

// One request for each renewal: a look at the lease comes only when a write has failed.
TEST(Elector, a_holder_renews_by_the_version_that_it_wrote) {
    Election election({read(lease("", "1")), written(lease("me", "2")), written(lease("me", "3")),
                       written(answer_bytes(500, "{}")), read(lease("me", "4")), written(lease("me", "5")),
                       written(lease("me", "6"))});
    ASSERT_TRUE(until([&] { election.turn(); }, [&] { return election.server.requests().size() == 7; }));
    std::string methods;
    std::vector<std::string> versions;
    for (const CameIn& one : election.server.requests()) {
        methods += one.method[0];
        if (one.method == "PATCH") {
            versions.push_back(one.body.substr(0, one.body.find(',')));
        }
    }
    EXPECT_EQ(methods, "GPPPGPP");
    const auto by = [](const std::string& version) {
        return R"({"metadata":{"resourceVersion":")" + version + R"("})";
    };
    EXPECT_THAT(versions, testing::ElementsAre(by("1"), by("2"), by("3"), by("4"), by("5")));
    EXPECT_FALSE(election.elector->lost());
}

// Between two looks at retry periods the lease may end: it is looked at then.
TEST(Elector, a_standby_looks_when_the_lease_ends) {
    Election election({read(lease("other", "1", 1)), read(lease("other", "1", 1)), written(lease("me", "2"))},
                      std::chrono::seconds(60), std::chrono::seconds(3'600));
    ASSERT_TRUE(election.until_leading());
    EXPECT_EQ(election.server.count("GET", ""), 2u);
}

TEST(Elector, a_holder_without_answers_stops_by_itself_and_nothing_is_sent_any_more) {
    Election election({read(lease("", "1")), written(lease("me", "2"))}, std::chrono::milliseconds(200));
    PacedRequests requests(election.http);
    requests.only_while([&] { return election.elector->leads(Clock::now()); });
    requests.submit(RequestKind::binding,
                    HttpRequest{.method = "POST", .path = "/early", .body = {}, .content_type = {}},
                    [](HttpAnswer&&) {});
    requests.turn(Clock::now());
    EXPECT_EQ(requests.counters().sent, 0u) << "a standby writes nothing";
    ASSERT_TRUE(election.until_leading());
    requests.turn(Clock::now());
    EXPECT_EQ(requests.counters().sent, 1u);
    ASSERT_TRUE(until([&] { election.turn(); }, [&] { return election.elector->lost(); }));
    EXPECT_THAT(election.log, HasSubstr("not renewed in time"));
    requests.submit(RequestKind::binding,
                    HttpRequest{.method = "POST", .path = "/late", .body = {}, .content_type = {}},
                    [](HttpAnswer&&) {});
    requests.turn(Clock::now());
    EXPECT_EQ(requests.counters().sent, 1u);
}

TEST(Elector, who_ends_lets_go_of_the_lease) {
    Election election({read(lease("", "1")), written(lease("me", "2")), written(lease("", "3"))});
    ASSERT_TRUE(election.until_leading());
    election.elector->release();
    ASSERT_TRUE(
        until([&] { election.http.turn(std::chrono::milliseconds(1)); }, [&] { return election.elector->released(); }));
    EXPECT_EQ(election.server.requests().back().body,
              R"({"metadata":{"resourceVersion":"2"},"spec":{"holderIdentity":""}})");
}

TEST(Elector, who_ends_while_it_renews_lets_go_of_the_version_that_the_renewal_makes) {
    Election election(
        {read(lease("", "1")), written(lease("me", "2")), written(lease("me", "3")), written(lease("", "4"))});
    ASSERT_TRUE(election.until_leading());
    const std::size_t before = election.server.count("PATCH", "");
    ASSERT_TRUE(until([&] { election.elector->turn(Clock::now()); }, [&] { return election.elector->asks(); }));
    // The server has renewed, and its answer is not read yet.
    election.http.send();
    ASSERT_TRUE(until([] {}, [&] { return election.server.count("PATCH", "") == before + 1; }));
    election.elector->release();
    EXPECT_FALSE(election.elector->released());
    ASSERT_TRUE(
        until([&] { election.http.turn(std::chrono::milliseconds(1)); }, [&] { return election.elector->released(); }));
    EXPECT_EQ(election.server.requests().back().body,
              R"({"metadata":{"resourceVersion":"3"},"spec":{"holderIdentity":""}})");
}

TEST(Elector, a_standby_that_ends_while_it_looks_takes_nothing) {
    Election election({read(lease("", "1")), written(lease("me", "2"))});
    election.elector->turn(Clock::now());
    ASSERT_TRUE(election.elector->asks());
    election.elector->release();
    ASSERT_TRUE(
        until([&] { election.http.turn(std::chrono::milliseconds(1)); }, [&] { return election.elector->released(); }));
    EXPECT_EQ(election.server.requests().size(), 1u);
    EXPECT_FALSE(election.elector->leads(Clock::now()));
}

}  // namespace
}  // namespace bayplan::kube_shim
