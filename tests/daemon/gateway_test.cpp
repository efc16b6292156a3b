// Admission, back-pressure, and the way out, over real connections. The engine's side is played by
// the test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "gateway_world.h"

namespace bayplan::testing {
namespace {

using daemon::AppliedItem;
using daemon::ConnectItem;
using daemon::DecisionsItem;
using daemon::DisconnectItem;
using daemon::FrameItem;
using daemon::HelloItem;
using dataplane::Stream;

StateBody define(DictId id, std::string_view text) {
    static thread_local DictEntry entry;
    entry = {id, text};
    return DefineMessage{std::span(&entry, 1)};
}

TEST(GatewayHello, an_allowed_shim_reaches_the_engine_with_its_identity) {
    GatewayWorld world;
    world.admitted("shim-a");
    EXPECT_EQ(world.last_connect.shim, "shim-a");
    EXPECT_EQ(world.last_connect.shim_instance, 7u);
    EXPECT_EQ(world.gateway->counters().hellos, 1u);
    EXPECT_TRUE(world.logged_of("shim connected", "shim-a")) << world.log_text();
}

// Rights are given by the settings when a partition has several entries of `shims`; here nobody gave any.
TEST(GatewayHello, a_second_shim_that_has_all_rights_is_warned_of_once) {
    constexpr std::string_view kWarning = "a second shim of the partition has all rights over the first";
    GatewayWorld world;
    ASSERT_TRUE(world.partitions[0].engine.shim_rights.empty());
    world.admitted("shim-a");
    world.admitted("shim-a");
    ASSERT_TRUE(world.until([&] { return world.inboxes[0]->depth() == 1; })) << "the end of the older connection";
    world.take();
    EXPECT_FALSE(world.logged(kWarning)) << "the same shim again";
    world.admitted("shim-b");
    EXPECT_TRUE(world.logged(kWarning));
    GatewayWorld ruled;
    ruled.partitions[0].engine.shim_rights = {ShimRights::all()};
    ruled.admitted("shim-a");
    ruled.admitted("shim-b");
    EXPECT_FALSE(ruled.logged(kWarning)) << "the settings say so";
}

TEST(GatewayHello, refusals_are_answered_logged_with_the_reason_and_closed) {
    struct Case {
        std::string shim, partition;
        std::uint32_t protocol;
        std::string reason;
    };
    const Case cases[] = {
        {"shim-a", "third", 1, "there is no partition 'third'"},
        {"shim-a", "second", 1, "'shim-a' may not use partition 'second'"},
        {"shim-a", "default", 9, "no common protocol: this daemon speaks 1 to 1, the shim 9 to 9"},
    };
    for (const Case& each : cases) {
        GatewayWorld world;
        RawShim& shim = world.connect(each.shim);
        wire::Hello hello;
        hello.partition = each.partition;
        hello.protocol_min = hello.protocol_max = each.protocol;
        ASSERT_TRUE(shim.send(Stream::control, hello));
        ASSERT_TRUE(world.until([&] { return shim.closed; })) << world.log_text();
        ASSERT_EQ(shim.replies.size(), 1u) << each.reason;
        EXPECT_EQ(shim.replies[0], HelloOutcome::refused);
        EXPECT_EQ(shim.refusal, each.reason);
        EXPECT_TRUE(world.logged_of("shim refused", "shim-a")) << world.log_text();
        EXPECT_TRUE(world.logged("reason=\"" + each.reason + "\"")) << world.log_text();
        EXPECT_TRUE(world.inboxes[0]->empty());
        EXPECT_TRUE(world.inboxes[1]->empty());
        EXPECT_EQ(world.gateway->counters().hellos_refused, 1u);
    }
}

// A certificate without rights that comes again and again.
TEST(GatewayHello, refusals_of_one_reason_are_summed_in_the_log) {
    GatewayWorld world;
    for (int i = 0; i < 20; ++i) {
        RawShim& shim = world.connect("shim-a");
        ASSERT_TRUE(shim.hello("second"));
        ASSERT_TRUE(world.until([&] { return !shim.replies.empty(); }));
    }
    EXPECT_EQ(world.gateway->counters().hellos_refused, 20u);
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().connections == 0; }));
    ASSERT_TRUE(world.until([&] { return world.logged(" more="); }));
    const std::string log = world.log_text();
    std::size_t lines = 0;
    for (std::size_t at = log.find("msg=\"shim refused\""); at != std::string::npos;
         at = log.find("msg=\"shim refused\"", at + 1)) {
        ++lines;
    }
    EXPECT_GT(lines, 1u);
    EXPECT_LT(lines, 20u) << log;
}

TEST(GatewayCounters, are_those_of_all_lcores_and_of_each) {
    GatewayWorld world;
    world.gateway->tell_counters_of([] {
        return std::vector<std::vector<dataplane::Counter>>{{{"frames_in", 3}, {"stalls", 0}},
                                                            {{"frames_in", 4}, {"stalls", 0}}};
    });
    RawShim& shim = world.connect("shim-a");
    ASSERT_TRUE(shim.send(Stream::control, wire::CountersRequest{1}));
    ASSERT_TRUE(world.until([&] { return !shim.counters.empty(); }));
    const std::map<std::string, std::uint64_t> expected{
        {"frames_in", 7}, {"stalls", 0}, {"lcore.0.frames_in", 3}, {"lcore.1.frames_in", 4}};
    EXPECT_EQ(shim.counters, expected);
}

TEST(GatewayCounters, of_one_lcore_are_told_once) {
    GatewayWorld world;
    RawShim& shim = world.connect("shim-a");
    ASSERT_TRUE(shim.send(Stream::control, wire::CountersRequest{1}));
    ASSERT_TRUE(world.until([&] { return !shim.counters.empty(); }));
    EXPECT_EQ(shim.counters.at("handshakes_ok"), 1u);
    EXPECT_EQ(shim.counters.count("shims_connections"), 1u);
    EXPECT_EQ(shim.counters.count("lcore.0.handshakes_ok"), 0u);
}

TEST(GatewayCounters, observers_of_one_certificate_leave_room_for_others) {
    GatewayWorld world;
    for (int i = 0; i < 16; ++i) {
        RawShim& observer = world.connect("shim-a");
        ASSERT_TRUE(observer.send(Stream::control, wire::CountersRequest{1}));
        ASSERT_TRUE(world.until([&] { return !observer.counters.empty(); })) << i;
    }
    RawShim& more = world.connect("shim-a");
    ASSERT_TRUE(more.send(Stream::control, wire::CountersRequest{1}));
    ASSERT_TRUE(world.until([&] { return more.closed; })) << world.log_text();
    EXPECT_EQ(more.refusal, "'shim-a' has 16 observers already");
    world.admitted("shim-b");
    EXPECT_EQ(world.last_connect.shim, "shim-b");
    world.shims.front()->hang_up();
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().connections == 16; })) << "15 observers, a shim";
    RawShim& again = world.connect("shim-a");
    ASSERT_TRUE(again.send(Stream::control, wire::CountersRequest{1}));
    EXPECT_TRUE(world.until([&] { return !again.counters.empty(); })) << "one has gone";
}

TEST(GatewayHello, nothing_but_a_hello_may_come_first) {
    GatewayWorld world;
    RawShim& shim = world.connect("shim-a");
    ASSERT_TRUE(shim.acknowledge(1));
    ASSERT_TRUE(world.until([&] { return shim.closed; }));
    EXPECT_TRUE(world.logged("the first message must be a hello")) << world.log_text();
}

TEST(GatewayHello, state_sent_ahead_of_the_hello_waits_for_it) {
    GatewayWorld world;
    RawShim& shim = world.connect("shim-a");
    ASSERT_TRUE(shim.state(1, ResyncBeginMessage{}));
    for (int i = 0; i < 50; ++i) world.turn();
    EXPECT_TRUE(world.inboxes[0]->empty());
    ASSERT_TRUE(shim.hello("default"));
    ASSERT_TRUE(world.until([&] { return world.inboxes[0]->depth() == 2; }));
    EXPECT_TRUE(std::holds_alternative<ConnectItem>(world.take()));
    EXPECT_TRUE(std::holds_alternative<FrameItem>(world.take()));
}

TEST(GatewayHello, a_newer_connection_of_the_same_shim_closes_the_older_one) {
    GatewayWorld world;
    RawShim& older = world.admitted("shim-b");
    const ConnectionId older_id = world.last_connect.connection;
    RawShim& elsewhere = world.admitted("shim-b", "second");
    world.admitted("shim-b");
    ASSERT_TRUE(world.until([&] { return older.closed && world.inboxes[0]->depth() == 1; }));
    const daemon::InboxItem item = world.take();
    ASSERT_TRUE(std::holds_alternative<DisconnectItem>(item));
    EXPECT_EQ(std::get<DisconnectItem>(item).connection, older_id);
    EXPECT_FALSE(elsewhere.closed);
    EXPECT_FALSE(world.shims.back()->closed);
}

TEST(GatewayIn, broken_bytes_close_the_connection_and_name_the_shim) {
    GatewayWorld world;
    RawShim& shim = world.admitted("shim-a");
    const std::array<std::byte, 64> rubbish{std::byte{0xff}};
    ASSERT_TRUE(shim.send_bytes(Stream::state, rubbish));
    ASSERT_TRUE(world.until([&] { return shim.closed && world.inboxes[0]->depth() == 1; }));
    EXPECT_TRUE(std::holds_alternative<DisconnectItem>(world.take()));
    EXPECT_EQ(world.gateway->counters().broken, 1u);
    EXPECT_TRUE(world.logged_of("message refused, closing the connection", "shim-a")) << world.log_text();
}

TEST(GatewayIn, messages_on_the_wrong_stream_close_the_connection) {
    for (const bool state_on_control : {true, false}) {
        GatewayWorld world;
        RawShim& shim = world.admitted("shim-a");
        if (state_on_control) {
            ASSERT_TRUE(shim.send(Stream::control, wire::StateFrame{1, ResyncBeginMessage{}}));
        } else {
            ASSERT_TRUE(shim.send(Stream::state, wire::AcknowledgeFrame{1}));
        }
        ASSERT_TRUE(world.until([&] { return shim.closed; }));
        EXPECT_TRUE(world.logged("a message that does not belong on its stream"));
    }
}

TEST(GatewayIn, a_full_inbox_pushes_back_and_nothing_is_lost_or_reordered) {
    GatewayWorld world(4);
    RawShim& shim = world.admitted("shim-a");
    constexpr std::uint64_t kMessages = 300;
    std::uint64_t sent = 0;
    std::uint64_t expected = 1;
    ASSERT_TRUE(world.until([&] {
        while (sent < kMessages && shim.state(sent + 1, define(static_cast<DictId>(sent + 1), "text"))) ++sent;
        return sent == kMessages && world.gateway->counters().pushed_back > 10;
    }));
    EXPECT_LE(world.inboxes[0]->depth(), 4u);
    ASSERT_TRUE(world.until([&] {
        daemon::InboxItem item = world.take();
        if (const auto* frame = std::get_if<FrameItem>(&item)) {
            EXPECT_EQ(std::get<wire::StateFrame>(frame->decoded->message()).sequence, expected);
            ++expected;
            world.inboxes[0]->done(item);
        }
        return expected > kMessages;
    }));
    EXPECT_EQ(world.inboxes[0]->bytes(), 0u);
    EXPECT_FALSE(shim.closed);
}

TEST(GatewayIn, a_connection_that_ends_while_the_inbox_is_full_is_still_reported) {
    GatewayWorld world(2);
    RawShim& shim = world.admitted("shim-a");
    RawShim& other = world.admitted("shim-b");
    for (RawShim* const one : {&shim, &other}) ASSERT_TRUE(one->state(1, define(1, "text")));
    ASSERT_TRUE(world.until([&] { return world.inboxes[0]->depth() == 2; }));
    shim.hang_up();
    ASSERT_TRUE(world.until([&] { return world.gateway->counters().connections == 1; }));
    std::vector<daemon::InboxItem> items;
    ASSERT_TRUE(world.until([&] {
        daemon::InboxItem item = world.take();
        if (!std::holds_alternative<std::monostate>(item)) items.push_back(std::move(item));
        return items.size() == 3;
    }));
    EXPECT_TRUE(std::holds_alternative<DisconnectItem>(items.back()));
}

TEST(GatewayOut, answers_keep_their_order_and_large_batches_are_cut_into_frames) {
    GatewayWorld world;
    RawShim& shim = world.admitted("shim-a");
    ASSERT_TRUE(world.last_outbox->offer(HelloItem{{HelloOutcome::resync, 5, 0, 100, {}}, ""}));
    ASSERT_TRUE(world.last_outbox->offer(DecisionsItem{batch_of(1, 5'000, 30), 10, 3}));
    ASSERT_TRUE(world.last_outbox->offer(DecisionsItem{batch_of(5'001, 1, 0), 0, 4}));
    ASSERT_TRUE(world.last_outbox->offer(AppliedItem{9}));
    ASSERT_TRUE(world.until([&] { return shim.state_applied == 9; }));
    EXPECT_EQ(shim.replies, std::vector{HelloOutcome::resync});
    ASSERT_EQ(shim.decisions.size(), 4'991u);
    for (std::size_t i = 0; i < shim.decisions.size(); ++i) {
        ASSERT_EQ(shim.decisions[i].sequence, 11 + i);
        ASSERT_EQ(shim.decisions[i].name, fmt::format("ask-{}", 11 + i));
    }
    EXPECT_GT(shim.decision_frames, 5u);
    EXPECT_LE(shim.largest_frame, world.options.transport.frame_bytes_max);
}

TEST(GatewayOut, a_text_longer_than_shims_take_is_cut_between_characters) {
    GatewayWorld world;
    RawShim& shim = world.admitted("shim-a");
    auto batch = batch_of(1, 1, 0);
    const std::string text = std::string(wire::Limits{}.string_bytes_max - 1, 'x') + "\xc3\xa9 and more";
    batch->decisions[0].text = text;
    ASSERT_TRUE(world.last_outbox->offer(DecisionsItem{batch, 0, 0}));
    ASSERT_TRUE(world.until([&] { return shim.decisions.size() == 1; }));
    EXPECT_EQ(shim.decisions[0].text, std::string(wire::Limits{}.string_bytes_max - 1, 'x'));
}

TEST(GatewayOut, a_shim_that_does_not_read_delays_no_other_and_loses_nothing) {
    GatewayWorld world(1'024, 8);
    RawShim& slow = world.admitted("shim-a");
    const auto slow_outbox = world.last_outbox;
    RawShim& quick = world.admitted("shim-b");
    const auto quick_outbox = world.last_outbox;
    slow.set_reading(false);
    constexpr std::uint64_t kBatches = 60;
    constexpr std::uint64_t kPerBatch = 200;
    std::uint64_t slow_next = 0;
    std::uint64_t quick_next = 0;
    const auto offer = [&](daemon::Outbox& outbox, std::uint64_t& next) {
        if (next < kBatches && outbox.offer(DecisionsItem{batch_of(next * kPerBatch + 1, kPerBatch, 500), 0, 0}))
            ++next;
    };
    ASSERT_TRUE(world.until([&] {
        offer(*slow_outbox, slow_next);
        offer(*quick_outbox, quick_next);
        return quick.decisions.size() == kBatches * kPerBatch;
    }));
    EXPECT_TRUE(slow.decisions.empty());
    EXPECT_LT(slow_next, kBatches) << "a shim that reads nothing must fill its outbox";
    slow.set_reading(true);
    ASSERT_TRUE(world.until([&] {
        offer(*slow_outbox, slow_next);
        return slow.decisions.size() == kBatches * kPerBatch;
    }));
    for (std::size_t i = 0; i < slow.decisions.size(); ++i) ASSERT_EQ(slow.decisions[i].sequence, i + 1);
}

TEST(GatewayOut, an_engine_whose_outbox_was_full_is_woken_when_it_is_not) {
    GatewayWorld world(1'024, 8);
    RawShim& shim = world.admitted("shim-a");
    while (world.last_outbox->offer(AppliedItem{1})) {
    }
    const std::uint32_t before = world.inboxes[0]->waker.epoch();
    ASSERT_TRUE(world.until([&] { return world.inboxes[0]->waker.epoch() != before; }));
    EXPECT_TRUE(world.last_outbox->offer(AppliedItem{2}));
    EXPECT_FALSE(shim.closed);
}

TEST(GatewayOut, a_cut_closes_a_connection_whose_outbox_does_not_move) {
    GatewayWorld world(1'024, 8);
    RawShim& shim = world.admitted("shim-a");
    shim.set_reading(false);
    std::uint64_t next = 0;
    int refused = 0;
    ASSERT_TRUE(world.until([&] {
        const bool taken = world.last_outbox->offer(DecisionsItem{batch_of(next * 200 + 1, 200, 500), 0, 0});
        taken ? ++next : ++refused;
        return refused > 200;
    }));
    world.last_outbox->cut("too many unacknowledged decisions");
    ASSERT_TRUE(world.until([&] { return shim.closed; })) << world.log_text();
    EXPECT_TRUE(world.logged("reason=\"too many unacknowledged decisions\"")) << world.log_text();
    EXPECT_EQ(world.gateway->counters().cuts, 1u);
}

TEST(GatewayStages, reading_and_the_way_out_are_timed) {
    GatewayWorld world;
    RawShim& shim = world.admitted("shim-a");
    ASSERT_TRUE(shim.state(1, ResyncBeginMessage{}));
    ASSERT_TRUE(world.until([&] { return world.inboxes[0]->depth() == 1; }));
    for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
        ASSERT_TRUE(
            world.last_outbox->offer(DecisionsItem{batch_of(sequence, 1, 0), 0, 0, std::chrono::steady_clock::now()}));
    }
    ASSERT_TRUE(world.until([&] { return shim.decisions.size() == 3; }));
    std::vector<daemon::StageFigures> figures;
    daemon::append_stages(figures, "lcore0", world.gateway->stages());
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_EQ(figures[0].stage, "decode");
    EXPECT_EQ(figures[0].count, 2u) << "the hello and the state";
    EXPECT_EQ(figures[1].stage, "outbox");
    EXPECT_EQ(figures[1].count, 3u);
}

TEST(GatewayStop, state_is_pushed_back_and_the_end_waits_for_acknowledgements) {
    GatewayWorld world;
    RawShim& shim = world.admitted("shim-a");
    RawShim& late = world.connect("shim-b");
    world.gateway->stop_input();
    ASSERT_TRUE(shim.state(1, ResyncBeginMessage{}));
    ASSERT_TRUE(world.last_outbox->offer(DecisionsItem{batch_of(1, 3, 0), 0, 0}));
    ASSERT_TRUE(late.hello("default"));
    ASSERT_TRUE(world.until([&] { return shim.decisions.size() == 3 && late.closed; }));
    EXPECT_TRUE(late.replies.empty()) << "a refusal would keep the shim from trying again";
    EXPECT_EQ(late.why_closed, "closed by the peer (0): the daemon is stopping");
    world.gateway->expect_no_more_output();
    for (int i = 0; i < 50; ++i) world.turn();
    EXPECT_FALSE(world.gateway->output_done()) << "decision 3 is not acknowledged";
    ASSERT_TRUE(shim.acknowledge(3));
    ASSERT_TRUE(world.until([&] { return world.gateway->output_done(); }));
    EXPECT_TRUE(world.inboxes[0]->empty()) << "nothing was taken after the stop";
}

}  // namespace
}  // namespace bayplan::testing
