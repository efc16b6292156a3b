// The client when connections end: resume, resync, refusals, and a daemon that breaks the protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "client_world.h"

namespace bayplan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Submitted ask(Client& client, std::string_view key) {
    PodStatement one;
    one.key = key;
    one.application = "app";
    return client.pods({&one, 1});
}

TEST(Reconnect, a_resume_sends_exactly_what_was_not_applied_and_skips_repeated_decisions) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());  // 6 messages
    for (const char* key : {"a", "b", "c"}) {
        ASSERT_EQ(ask(*world.client, key), Submitted::yes);
    }
    ASSERT_TRUE(world.until([&] { return world.daemon.last_sequence == 9; }));
    ASSERT_TRUE(world.daemon.decide(1, 7, {allocated("a", "n1"), allocated("b", "n2")}));
    ASSERT_TRUE(world.until([&] { return !world.daemon.acknowledged.empty(); }));

    world.daemon.state.clear();
    world.daemon.when_greeted = [&](const SeenHello&) {
        world.daemon.last_sequence = 7;
        world.daemon.reply(ClientWorld::resume(100, 7));
    };
    world.daemon.hang_up();
    // While it is not connected, statements are kept.
    ASSERT_TRUE(world.until([&] { return !world.listener.gone.empty(); }));
    ASSERT_EQ(ask(*world.client, "d"), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.last_sequence == 10; }));
    EXPECT_EQ(world.daemon.hellos[1].decisions_received, 2u);
    EXPECT_EQ(world.daemon.hellos[1].daemon_instance, 100u);
    EXPECT_EQ(world.daemon.hellos[1].shim_instance, world.daemon.hellos[0].shim_instance);
    EXPECT_THAT(world.daemon.state, ElementsAre("8 asks b:app:-", "9 asks c:app:-", "10 asks d:app:-"));
    EXPECT_EQ(world.books.begun, 1);

    world.listener.heard.clear();
    ASSERT_TRUE(world.daemon.decide(2, 10, {allocated("b", "n2"), allocated("c", "n1")}));
    ASSERT_TRUE(world.until([&] { return world.daemon.acknowledged.back() == 3; }));
    EXPECT_THAT(world.listener.heard, ElementsAre("allocated c n1", "end"));
    EXPECT_EQ(world.client->counters().decisions_repeated, 1u);
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

constexpr std::uint64_t kReplaced = 4;  // the daemon's code

// It would be back after 20 ms at most.
TEST(Reconnect, a_client_that_another_process_replaced_stays_away) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.daemon.hang_up(kReplaced);
    ASSERT_TRUE(world.until([&] { return !world.listener.gone.empty(); }));
    const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    ASSERT_TRUE(world.until([&] { return std::chrono::steady_clock::now() > enough; }));
    EXPECT_EQ(world.daemon.hellos.size(), 1u);
}

TEST(Reconnect, a_client_that_was_replaced_comes_back_when_it_has_waited) {
    ClientWorld world;
    ClientOptions options = options_to(world.daemon);
    options.replaced_wait_ms = 1;
    options.reconnect_initial_ms = options.reconnect_max_ms = 600'000;  // not by the usual way
    std::string error;
    world.client = Client::open(options, world.listener, &world.books, error);
    ASSERT_NE(world.client, nullptr) << error;
    ASSERT_TRUE(world.settle());
    world.daemon.hang_up(kReplaced);
    EXPECT_TRUE(world.until([&] { return world.daemon.hellos.size() == 2; }));
}

TEST(Reconnect, a_daemon_of_another_name_is_not_spoken_to) {
    ClientWorld world;
    ClientOptions options = options_to(world.daemon);
    options.server_name = "bayplan.example";
    std::string error;
    world.client = Client::open(options, world.listener, &world.books, error);
    ASSERT_NE(world.client, nullptr) << error;
    ASSERT_TRUE(world.until([&] { return !world.listener.gone.empty(); }));
    EXPECT_THAT(world.listener.gone.front(), HasSubstr("is not for bayplan.example"));
    EXPECT_THAT(world.daemon.hellos, IsEmpty());
}

TEST(Reconnect, the_hello_does_not_acknowledge_what_the_handler_has_not_made_durable) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    ASSERT_TRUE(world.daemon.decide(1, 6, {allocated("a", "n1")}));
    ASSERT_TRUE(world.until([&] { return !world.daemon.acknowledged.empty(); }));
    world.listener.may_acknowledge = false;
    world.listener.heard.clear();
    ASSERT_TRUE(world.daemon.decide(2, 6, {allocated("b", "n2"), allocated("c", "n1")}));
    ASSERT_TRUE(world.until([&] { return !world.listener.heard.empty(); }));
    world.daemon.when_greeted = [&](const SeenHello&) { world.daemon.reply(ClientWorld::resume(100, 6)); };
    world.daemon.hang_up();
    ASSERT_TRUE(world.until([&] { return world.client->counters().resumes == 1; }));
    EXPECT_EQ(world.daemon.hellos[1].decisions_received, 1u);
    ASSERT_TRUE(world.daemon.decide(2, 6, {allocated("b", "n2"), allocated("c", "n1")}));
    for (int i = 0; i < 100; ++i) {
        world.daemon.turn();
        world.client->turn();
    }
    EXPECT_THAT(world.daemon.acknowledged, ElementsAre(1));
    world.listener.may_acknowledge = true;
    ASSERT_TRUE(world.until([&] { return world.daemon.acknowledged.back() == 3; }));
    EXPECT_EQ(std::ranges::count(world.listener.heard, "allocated b n2"), 1);
    EXPECT_EQ(std::ranges::count(world.listener.heard, "allocated c n1"), 1);
    EXPECT_EQ(world.listener.heard.back(), "end");
    EXPECT_EQ(world.client->counters().decisions_repeated, 2u);
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Reconnect, a_resync_drops_what_was_under_way_and_states_the_books) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    ASSERT_TRUE(world.daemon.decide(1, 6, {allocated("a", "n1")}));
    ASSERT_TRUE(world.until([&] { return !world.daemon.acknowledged.empty(); }));
    ASSERT_EQ(ask(*world.client, "under way"), Submitted::yes);
    world.daemon.state.clear();
    PodStatement placed;
    placed.key = "a";
    placed.application = "app";
    placed.node = "n1";
    world.books.pods = {placed};
    world.daemon.when_greeted = [&](const SeenHello&) {
        world.daemon.state.clear();
        world.daemon.reply(ClientWorld::resync(200));
    };
    world.daemon.hang_up();
    ASSERT_TRUE(world.until([&] { return world.client->counters().resyncs == 2; }));
    ASSERT_TRUE(world.settle());
    EXPECT_THAT(world.daemon.state, ElementsAre("1 begin", "2 define n1 cpu n2", "3 nodes n1:1,cpu=4000 n2:1,cpu=4000",
                                                "4 define app root.default", "5 applications +app:root.default",
                                                "6 asks a:app:n1", "7 end"));
    // Numbering of decisions begins anew, too.
    ASSERT_TRUE(world.daemon.decide(1, 7, {allocated("b", "n2")}));
    ASSERT_TRUE(world.until([&] { return world.daemon.acknowledged.size() == 2; }));
    EXPECT_EQ(world.daemon.acknowledged.back(), 1u);
    EXPECT_EQ(world.listener.heard.back(), "end");
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Reconnect, a_client_told_to_cut_comes_back_by_itself) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.daemon.when_greeted = [&](const SeenHello&) {
        world.daemon.reply(ClientWorld::resume(100, world.daemon.last_sequence));
    };
    world.client->cut();
    ASSERT_TRUE(world.until([&] { return world.client->counters().resumes == 1; }));
    EXPECT_THAT(world.listener.gone, ElementsAre("cut on request"));
    ASSERT_TRUE(world.until([&] { return world.daemon.closed == 1; }));
}

TEST(Reconnect, a_missing_decision_is_not_taken_for_the_next_one) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.daemon.when_greeted = [&](const SeenHello&) {
        world.daemon.reply(ClientWorld::resume(100, world.daemon.last_sequence));
    };
    ASSERT_TRUE(world.daemon.decide(2, 6, {allocated("b", "n1")}));
    ASSERT_TRUE(world.until([&] { return world.client->counters().resumes == 1; }));
    EXPECT_THAT(world.listener.gone, ElementsAre("decision 1 is missing"));
    EXPECT_EQ(world.client->counters().decisions, 0u);
    EXPECT_EQ(world.daemon.hellos[1].decisions_received, 0u);
}

TEST(Reconnect, a_daemon_that_resumes_what_it_cannot_know_is_asked_for_a_resync) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    int answers = 0;
    world.daemon.when_greeted = [&](const SeenHello&) {
        // Applied more than was ever said.
        world.daemon.reply(++answers == 1 ? ClientWorld::resume(100, 1'000) : ClientWorld::resync(300));
    };
    world.daemon.hang_up();
    ASSERT_TRUE(world.until([&] { return world.client->counters().resyncs == 2; }));
    EXPECT_EQ(world.daemon.hellos.back().daemon_instance, 0u);
}

TEST(Reconnect, a_refused_shim_hears_why_and_does_not_try_again) {
    ClientWorld world;
    world.daemon.when_greeted = [&](const SeenHello&) {
        world.daemon.reply({HelloOutcome::refused, 1, 0, 0, "shim-a may not drive default"});
    };
    ASSERT_TRUE(world.until([&] { return !world.listener.refused.empty(); }));
    EXPECT_EQ(world.listener.refused, "shim-a may not drive default");
    for (int i = 0; i < 2'000; ++i) {
        world.daemon.turn();
        world.client->turn();
    }
    EXPECT_EQ(world.daemon.hellos.size(), 1u);
}

TEST(Reconnect, a_refusal_ends_the_wait_of_who_submits) {
    ClientWorld world;
    std::future<Submitted> answer = std::async(std::launch::async, [&] {
        PodStatement one;
        one.key = "a";
        one.application = "app";
        return world.client->pods({&one, 1}, Wait::yes);
    });
    world.daemon.when_greeted = [&](const SeenHello&) {
        world.daemon.reply({HelloOutcome::refused, 1, 0, 0, "shim-a may not drive default"});
    };
    const bool ended =
        world.until([&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    world.client->request_stop();  // or a thread that waits would do so for ever
    EXPECT_TRUE(ended);
    EXPECT_EQ(answer.get(), Submitted::full);
    EXPECT_EQ(world.listener.refused, "shim-a may not drive default");
}

TEST(Reconnect, a_daemon_that_closes_instead_of_answering_the_hello_is_asked_again) {
    ClientWorld world;
    world.daemon.when_greeted = [&](const SeenHello&) {
        if (world.daemon.hellos.size() < 3) {
            world.daemon.hang_up();
        } else {
            world.daemon.reply(ClientWorld::resync(100));
        }
    };
    ASSERT_TRUE(world.settle());
    EXPECT_EQ(world.daemon.hellos.size(), 3u);
    EXPECT_EQ(world.listener.refused, "");
}

TEST(Reconnect, the_source_states_in_portions_when_the_outbox_is_small) {
    class Portions final : public StateSource {
    public:
        void begin() override { next_ = 0; }
        bool state(StateWriter& writer) override {
            ++calls;
            while (next_ < 500) {
                if (writer.full()) {
                    return false;
                }
                const std::string name = "node-" + std::to_string(next_++);
                const NodeStatement node{name, NodeAction::create, {}, {}};
                writer.nodes({&node, 1});
            }
            return true;
        }
        int calls = 0;

    private:
        int next_ = 0;
    };
    Listener listener;
    Portions portions;
    ScriptedDaemon daemon;
    daemon.when_greeted = [&](const SeenHello&) { daemon.reply(ClientWorld::resync(1)); };
    ClientOptions options = options_to(daemon);
    options.kept_bytes_max = 4'096;
    std::string error;
    const auto client = Client::open(options, listener, &portions, error);
    ASSERT_NE(client, nullptr) << error;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::uint64_t most = 0;
    while (!client->settled() && std::chrono::steady_clock::now() < deadline) {
        daemon.turn();
        client->turn();
        daemon.applied(daemon.last_sequence);
        most = std::max(most, client->counters().kept_bytes);
    }
    EXPECT_TRUE(client->settled());
    EXPECT_EQ(daemon.state.size(), 1'002u);  // begin, 500 definitions and nodes, end
    EXPECT_GT(portions.calls, 5);
    EXPECT_LT(most, 6'000u);
}

TEST(Reconnect, a_host_that_does_not_exist_is_told_at_once) {
    Listener listener;
    ClientOptions options;
    options.host = "256.1.1.1";
    std::string error;
    EXPECT_EQ(Client::open(options, listener, nullptr, error), nullptr);
    EXPECT_THAT(error, HasSubstr("256.1.1.1"));
}

}  // namespace
}  // namespace bayplan::testing
