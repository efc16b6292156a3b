// The client against a scripted daemon over real QUIC on loopback: connecting, stating, decisions,
// acknowledgements, and the bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "client_world.h"

namespace bayplan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr NamedAmount kRequests[] = {{"cpu", 100}};

PodStatement pod(std::string_view key, std::string_view node = {}) {
    PodStatement statement;
    statement.key = key;
    statement.application = "app";
    statement.node = node;
    statement.requests = kRequests;
    return statement;
}

Submitted ask(Client& client, std::string_view key) {
    const PodStatement one = pod(key);
    return client.pods({&one, 1});
}

TEST(Client, states_its_books_at_the_first_connect_and_defines_every_text_before_its_use) {
    ClientWorld world;
    world.books.pods = {pod("here", "n2"), pod("wanted")};
    ASSERT_TRUE(world.settle());
    ASSERT_EQ(world.daemon.hellos.size(), 1u);
    EXPECT_EQ(world.daemon.hellos[0].partition, "default");
    EXPECT_NE(world.daemon.hellos[0].shim_instance, 0u);
    EXPECT_EQ(world.daemon.hellos[0].daemon_instance, 0u);
    EXPECT_THAT(world.daemon.state, ElementsAre("1 begin", "2 define n1 cpu n2", "3 nodes n1:1,cpu=4000 n2:1,cpu=4000",
                                                "4 define app root.default", "5 applications +app:root.default",
                                                "6 asks here:app:n2,cpu=100 wanted:app:-,cpu=100", "7 end"));
    EXPECT_THAT(world.daemon.faults, IsEmpty());
    EXPECT_THAT(world.listener.heard, ElementsAre("resynced"));
}

TEST(Client, takes_nothing_before_it_has_been_connected_once) {
    ClientWorld world;
    EXPECT_EQ(ask(*world.client, "early"), Submitted::full);
    ASSERT_TRUE(world.settle());
    EXPECT_EQ(ask(*world.client, "late"), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == 7; }));
    EXPECT_EQ(world.daemon.state.back(), "7 asks late:app:-,cpu=100");
}

TEST(Client, sends_each_kind_of_statement) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    const NodeStatement node{"n1", NodeAction::drain, {}, {}};
    const ReleaseStatement release{"p", "app", Termination::stopped_by_rm, "done"};
    const NackItem nack{"q", "bind failed"};
    const std::string_view remove[] = {"app"};
    EXPECT_EQ(world.client->nodes({&node, 1}), Submitted::yes);
    EXPECT_EQ(world.client->releases({&release, 1}), Submitted::yes);
    EXPECT_EQ(world.client->nacks({&nack, 1}), Submitted::yes);
    EXPECT_EQ(world.client->applications({}, remove), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == 10; }));
    EXPECT_EQ(world.daemon.state[6], "7 nodes n1:3");
    EXPECT_EQ(world.daemon.state[7], "8 releases p");
    EXPECT_EQ(world.daemon.state[8], "9 nacks q:bind failed");
    EXPECT_EQ(world.daemon.state[9], "10 applications -app");
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Client, states_the_groups_of_an_applications_user) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    const std::size_t before = world.daemon.state.size();
    const std::vector<std::string_view> groups = {"dev", "ops"};
    const ApplicationStatement all[] = {{"one", "root.a", "ann", groups}, {"two", "root.a", "bob", {&groups[1], 1}}};
    EXPECT_EQ(world.client->applications(all, {}), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == before + 2; }));
    EXPECT_THAT(world.daemon.state.back(), EndsWith("applications +one:root.a/dev/ops +two:root.a/ops"));
    EXPECT_THAT(world.daemon.faults, IsEmpty());
    const std::vector<std::string_view> many(65, "dev");
    const ApplicationStatement three{"three", "root.a", "ann", many};
    EXPECT_EQ(world.client->applications({&three, 1}, {}), Submitted::invalid);
}

TEST(Client, states_the_tags_of_an_application) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    const std::size_t before = world.daemon.state.size();
    const std::vector<NamedAttribute> tags = {{"namespace", "team"}, {"application.create.force", "true"}};
    const ApplicationStatement all[] = {{.name = "one", .queue = "root.a", .user = "ann", .tags = tags},
                                        {.name = "two", .queue = "", .user = "bob", .tags = {&tags[0], 1}}};
    EXPECT_EQ(world.client->applications(all, {}), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == before + 2; }));
    EXPECT_THAT(
        world.daemon.state.back(),
        EndsWith("applications +one:root.a namespace=team application.create.force=true +two:- namespace=team"));
    EXPECT_THAT(world.daemon.faults, IsEmpty());
    const std::vector<NamedAttribute> many(100'000, tags[0]);
    const ApplicationStatement three{.name = "three", .queue = "root.a", .user = "ann", .tags = many};
    EXPECT_EQ(world.client->applications({&three, 1}, {}), Submitted::invalid);
}

TEST(Client, states_minimum_and_topology_of_a_pods_group_and_what_is_wrong_with_it) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    const std::size_t before = world.daemon.state.size();
    PodStatement one = pod("one");
    one.group = "gang";
    one.group_min_available = 3;
    one.group_topology_key = "zone";
    one.group_topology_preferred = true;
    PodStatement two = pod("two");
    two.group_fault = GroupFault::no_minimum;
    const PodStatement all[] = {one, two};
    EXPECT_EQ(world.client->pods(all), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == before + 2; }));
    EXPECT_THAT(world.daemon.state.back(),
                HasSubstr("one:app:-,cpu=100 group=gang of 3 in one zone if possible fault=0"));
    EXPECT_THAT(world.daemon.state.back(), EndsWith("two:app:-,cpu=100 group=- of 0 in one - fault=2"));
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Client, cuts_a_large_batch_into_messages_and_keeps_the_order) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    std::vector<std::string> keys;
    for (int i = 0; i < 20'000; ++i) {
        keys.push_back("pod-" + std::to_string(i));
    }
    std::vector<PodStatement> pods;
    for (const std::string& key : keys) {
        pods.push_back(pod(key));
    }
    ASSERT_EQ(world.client->pods(pods), Submitted::yes);
    std::string all;
    ASSERT_TRUE(world.until([&] {
        return !world.daemon.state.empty() && world.daemon.state.back().find("pod-19999:") != std::string::npos;
    }));
    for (std::size_t i = 6; i < world.daemon.state.size(); ++i) {
        all += world.daemon.state[i].substr(world.daemon.state[i].find(' ', 4));
    }
    std::string expected;
    for (const std::string& key : keys) {
        expected += " " + key + ":app:-,cpu=100";
    }
    EXPECT_EQ(all, expected);
    EXPECT_GT(world.daemon.state.size(), 8u);
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Client, says_every_kind_of_decision_in_order_and_acknowledges_once_per_turn) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.listener.heard.clear();
    using enum DecisionKind;
    ASSERT_TRUE(world.daemon.decide(
        1, world.daemon.last_sequence,
        {{node_accepted, {}, false, false, 0, 0, "n1", {}, {}},
         {node_rejected, {}, false, false, 0, 0, "n2", {}, "no"},
         {ask_rejected, {}, false, false, 0, 0, "a", {}, "why"},
         {allocated, {}, false, false, 0, 0, "b", "n1", {}},
         {released, Termination::stopped_by_rm, false, false, 0, 0, "c", {}, "gone"},
         {ask_waiting, {}, false, false, 0, 0, "d", {}, "0/1 nodes are available: 1 Insufficient cpu."},
         {message_rejected, {}, false, false, 0, 0, "state", {}, "bad"},
         {claim_given_back, {}, false, false, 0, 0, "ns/claim", {}, "for s/d"}}));
    ASSERT_TRUE(world.until([&] { return !world.daemon.acknowledged.empty(); }));
    EXPECT_THAT(world.listener.heard,
                ElementsAre("accepted n1", "rejected n2 no", "rejected a why", "allocated b n1", "released c gone",
                            "waiting d 0/1 nodes are available: 1 Insufficient cpu.", "rejected state bad",
                            "given back ns/claim for s/d", "end"));
    EXPECT_THAT(world.daemon.acknowledged, ElementsAre(8));
}

TEST(Client, asks_for_claims_to_give_back_only_if_its_shim_gives_them_back) {
    for (const bool gives : {false, true}) {
        ClientWorld world(32u << 20, gives);
        ASSERT_TRUE(world.settle());
        const std::uint64_t usual = wire::kFeatures - wire::kFeatureVictims - wire::kFeaturesOfInformation;
        EXPECT_EQ(world.daemon.hellos.at(0).features, gives ? usual : usual - wire::kFeatureGiveBack);
    }
}

TEST(Client, acknowledges_only_what_the_handler_has_made_durable) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.listener.may_acknowledge = false;
    ASSERT_TRUE(world.daemon.decide(1, 7, {allocated("a", "n1")}));
    ASSERT_TRUE(world.daemon.decide(2, 7, {allocated("b", "n1")}));
    // Asked again and again, while the second frame stays where it is.
    ASSERT_TRUE(world.until([&] { return std::ranges::count(world.listener.heard, "end") > 100; }));
    EXPECT_THAT(world.daemon.acknowledged, IsEmpty());
    EXPECT_EQ(std::ranges::count(world.listener.heard, "allocated b n1"), 0);
    world.listener.may_acknowledge = true;
    ASSERT_TRUE(
        world.until([&] { return !world.daemon.acknowledged.empty() && world.daemon.acknowledged.back() == 2; }));
    EXPECT_EQ(std::ranges::count(world.listener.heard, "allocated a n1"), 1);
    EXPECT_EQ(std::ranges::count(world.listener.heard, "allocated b n1"), 1);
}

TEST(Client, decisions_that_overtake_the_answer_to_the_hello_wait_for_it) {
    ClientWorld world;
    world.daemon.when_greeted = {};
    ASSERT_TRUE(world.until([&] { return world.daemon.hellos.size() == 1; }));
    ASSERT_TRUE(world.daemon.decide(1, 0, {allocated("a", "n1")}));
    for (int i = 0; i < 2'000; ++i) {
        world.daemon.turn();
        world.client->turn();
    }
    EXPECT_THAT(world.listener.heard, IsEmpty());
    world.daemon.reply(ClientWorld::resync(100));
    ASSERT_TRUE(world.until([&] { return world.listener.heard.size() == 3; }));
    EXPECT_EQ(std::ranges::count(world.listener.heard, "allocated a n1"), 1);
    EXPECT_THAT(world.listener.gone, IsEmpty());
}

TEST(Client, a_bounded_outbox_pushes_back_until_the_daemon_has_applied_something) {
    ClientWorld world(4'096);
    ASSERT_TRUE(world.settle());
    int taken = 0;
    while (ask(*world.client, "p" + std::to_string(taken)) == Submitted::yes) {
        ASSERT_LT(++taken, 1'000);
    }
    EXPECT_GT(taken, 5);
    // Being sent is not enough: they must be there for a resume.
    ASSERT_TRUE(world.until([&] { return world.daemon.last_sequence >= 6u + taken; }));
    EXPECT_EQ(ask(*world.client, "more"), Submitted::full);
    EXPECT_GE(world.client->counters().kept_bytes, 4'096u);
    world.daemon.applied(world.daemon.last_sequence);
    ASSERT_TRUE(world.until([&] { return ask(*world.client, "more") == Submitted::yes; }));
}

TEST(Client, a_thread_that_waits_for_room_goes_on_when_there_is_some) {
    ClientWorld world(4'096);
    ASSERT_TRUE(world.settle());
    std::atomic<int> taken = 0;
    std::thread other([&] {
        for (int i = 0; i < 300; ++i) {
            const std::string key = "p" + std::to_string(i);
            const PodStatement one = pod(key);
            if (world.client->pods({&one, 1}, Wait::yes) == Submitted::yes) {
                ++taken;
            }
        }
    });
    EXPECT_TRUE(world.until([&] {
        world.daemon.applied(world.daemon.last_sequence);
        return taken == 300;
    }));
    world.client->request_stop();  // frees the other thread if the expectation failed
    other.join();
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Client, with_a_thread_of_its_own_takes_statements_from_others_and_stops_when_told) {
    ClientWorld world;
    std::atomic<bool> enough = false;
    std::atomic<std::uint64_t> arrived = 0;
    std::thread other_side([&] {
        while (!enough) {
            world.daemon.turn();
            world.daemon.applied(world.daemon.last_sequence);
            arrived = world.daemon.last_sequence;
        }
    });
    world.client->start();
    int taken = 0;
    for (int i = 0; i < 500; ++i) {
        const std::string key = "p" + std::to_string(i);
        const PodStatement one = pod(key);
        taken += world.client->pods({&one, 1}, Wait::yes) == Submitted::yes ? 1 : 0;
    }
    EXPECT_EQ(taken, 500);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (arrived < 506u && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
    }
    EXPECT_EQ(arrived, 506u);
    world.client->stop();
    world.client->stop();
    const PodStatement late = pod("late");
    EXPECT_EQ(world.client->pods({&late, 1}, Wait::yes), Submitted::full);
    enough = true;
    other_side.join();
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Client, a_callback_may_stop_it) {
    class Stopper final : public ClientHandler {
    public:
        void on_connected(HelloOutcome) override {
            client->stop();
            stopped = true;
        }
        std::unique_ptr<Client> client;
        std::atomic<bool> stopped = false;
    };
    ScriptedDaemon daemon;
    daemon.when_greeted = [&](const SeenHello&) { daemon.reply(ClientWorld::resync(1)); };
    Stopper stopper;
    std::string error;
    stopper.client = Client::open(options_to(daemon), stopper, nullptr, error);
    ASSERT_NE(stopper.client, nullptr) << error;
    stopper.client->start();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (daemon.closed == 0 && std::chrono::steady_clock::now() < deadline) daemon.turn();
    EXPECT_TRUE(stopper.stopped);
    EXPECT_EQ(daemon.closed, 1u) << "with a word to the daemon";
    stopper.client->stop();  // waits for the thread
    EXPECT_EQ(daemon.hellos.size(), 1u);
}

TEST(Client, an_item_beyond_the_limits_of_the_protocol_is_refused_here_and_now) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    const std::string long_name(5'000, 'x');
    const NodeStatement node{long_name, NodeAction::create, {}, {}};
    std::string why;
    EXPECT_EQ(world.client->nodes({&node, 1}, Wait::no, &why), Submitted::invalid);
    EXPECT_THAT(why, HasSubstr("longer than 4096 bytes"));
    const std::vector<NamedAmount> many(65, NamedAmount{"cpu", 1});
    PodStatement greedy = pod("greedy");
    greedy.requests = many;
    EXPECT_EQ(world.client->pods({&greedy, 1}, Wait::no, &why), Submitted::invalid);
    EXPECT_EQ(why, "greedy: more than 64 amounts");
}

TEST(Client, forgotten_texts_give_their_ids_to_others) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    const std::string_view texts[] = {"n1", "never said"};
    ASSERT_EQ(world.client->forget(texts), Submitted::yes);
    const NodeStatement nodes[] = {{"n3", NodeAction::drain, {}, {}}, {"n1", NodeAction::drain, {}, {}}};
    ASSERT_EQ(world.client->nodes(nodes), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == 9; }));
    EXPECT_EQ(world.daemon.state[6], "7 forget n1");
    EXPECT_EQ(world.daemon.state[7], "8 define n3 n1");
    EXPECT_EQ(world.daemon.state[8], "9 nodes n3:3 n1:3");
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(Client, a_client_that_reads_nothing_stops_the_daemon_by_flow_control_and_loses_nothing) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.client->set_reading(false);
    std::vector<std::string> keys;
    for (int i = 0; i < 100; ++i) {
        keys.push_back(std::to_string(i) + std::string(1'000, 'k'));
    }
    std::vector<Decision> frame;
    for (const std::string& key : keys) {
        frame.push_back(allocated(key, "n1"));
    }
    std::uint64_t said = 0;
    // Full: the client's window and the daemon's send buffer hold no more.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int refused_turns = 0;
    while (refused_turns < 2'000 && std::chrono::steady_clock::now() < deadline) {
        if (world.daemon.decide(said + 1, 7, frame)) {
            said += frame.size();
            refused_turns = 0;
        } else {
            ++refused_turns;
        }
        world.daemon.turn();
        world.client->turn();
    }
    EXPECT_EQ(refused_turns, 2'000);
    EXPECT_EQ(world.client->counters().decisions, 0u);
    world.client->set_reading(true);
    ASSERT_TRUE(world.until([&] { return world.client->counters().decisions == said; }))
        << world.client->counters().decisions << " of " << said << ", "
        << ::testing::PrintToString(world.listener.gone);
    ASSERT_TRUE(
        world.until([&] { return !world.daemon.acknowledged.empty() && world.daemon.acknowledged.back() == said; }));
    EXPECT_EQ(world.client->counters().decisions_repeated, 0u);
}

}  // namespace
}  // namespace bayplan::testing
