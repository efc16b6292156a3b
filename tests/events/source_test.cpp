// Events of a small partition: which, in which order, with which words.
#include <gtest/gtest.h>

#include "../answers/small_partition.h"
#include "events/event_source.h"

namespace bayplan::events {
namespace {

using Lines = std::vector<std::string>;

std::string line_of(const Event& event) {
    std::string line = std::to_string(static_cast<int>(event.type)) + " ";
    line += std::string(event.object) + " " + std::to_string(static_cast<int>(event.change)) + " ";
    line += std::to_string(static_cast<int>(event.detail));
    line += event.reference.empty() ? "" : " ref=" + std::string(event.reference);
    line += event.message.empty() ? "" : " '" + std::string(event.message) + "'";
    std::string_view left = event.amounts, resource;
    std::int64_t value = 0;
    while (read_model::take_amount(left, resource, value)) {
        line += " " + std::string(resource) + "=" + std::to_string(value);
    }
    return line;
}

class EventSourceTest : public ::testing::Test {
protected:
    // Those since the last time, without queues and limits of the beginning.
    Lines news() {
        partition_.version();
        Lines lines;
        const EventSlice slice = store_.read(next_, SIZE_MAX, SIZE_MAX);
        for (std::size_t at = 0; at < slice.size(); ++at) {
            lines.push_back(line_of(slice[at]));
            EXPECT_GE(slice[at].time_ns, 1'000);
        }
        next_ = slice.next;
        return lines;
    }
    void web(const std::string& key, std::int64_t cpu, AskItem item = {}) {
        partition_.ask(key, "app-web", {{"cpu", cpu}, {"pods", 1}}, 1'700'000'000, item);
    }
    void node_and_application() {
        partition_.node("n1", {{"cpu", 4'000}, {"pods", 110}});
        partition_.application("app-web", "root.prod.web", "bert");
        news();
    }

    EventStore store_;
    EventSource source_{store_, {.partition = "default", .zero_tick_ns = 1'000, .node_occupied = true}};
    answers::SmallPartition partition_{true, &source_};
    std::uint64_t next_ = 0;
};

TEST_F(EventSourceTest, queues_come_with_the_file) {
    const Lines lines = news();
    EXPECT_EQ(lines.front(), "4 root 2 0");
    for (const char* queue : {"root.prod", "root.prod.web", "root.prod.api", "root.batch", "root.users"}) {
        EXPECT_EQ(std::ranges::count(lines, "4 " + std::string(queue) + " 2 0"), 1) << queue;
    }
    // By name, after all queues; a limit of everybody is no user's.
    ASSERT_GE(lines.size(), 2u);
    EXPECT_EQ(lines[lines.size() - 2], "5 alice 1 600 ref=root.prod.web");
    EXPECT_EQ(lines.back(), "5 alice 1 601 ref=root.prod.web");
}

TEST_F(EventSourceTest, queues_that_change) {
    news();
    std::string text = answers::kQueues;
    const auto replace = [&](const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, from.size(), to);
    };
    replace("max: {memory: 5G, vcore: 5}", "max: {memory: 6G}, guaranteed: {vcore: 1}");
    replace("{memory: 6G, vcore: 6}, maxapplications: 2", "{memory: 7G, vcore: 6}, maxapplications: 2");
    replace("                  - {limit: her group, groups: [alice], maxresources: {memory: 8G}, maxapplications: 4}\n",
            "");
    partition_.engine().apply(QueuesText{.partition = "default", .text = text});
    EXPECT_EQ(news(), (Lines{"4 root.batch 1 403 memory=6000000000", "4 root.batch 1 404 vcore=1000",
                             "5 alice 1 600 ref=root.prod.web", "5 alice 3 601 ref=root.prod.web"}));
}

TEST_F(EventSourceTest, nodes) {
    news();
    partition_.node("n1", {{"cpu", 4'000}, {"pods", 110}});
    partition_.node("n2", {{"cpu", 1'000}}, {}, NodeAction::create_drain);
    EXPECT_EQ(news(), (Lines{"3 n1 2 0 'Node added to the scheduler' pods=110 vcore=4000",
                             "3 n2 2 0 'Node added to the scheduler' vcore=1000", "3 n2 1 302 'schedulable: false'"}));
    partition_.node("n1", {{"cpu", 8'000}, {"pods", 110}}, {}, NodeAction::update);
    partition_.node("n1", {}, {}, NodeAction::drain);
    partition_.node("n2", {}, {}, NodeAction::undrain);
    partition_.node("n2", {}, {}, NodeAction::decommission);
    EXPECT_EQ(news(), (Lines{"3 n1 1 304 pods=110 vcore=8000", "3 n1 1 302 'schedulable: false'",
                             "3 n2 1 302 'schedulable: true'", "3 n2 3 300 'Node removed from the scheduler'"}));
}

TEST_F(EventSourceTest, an_application_and_its_pod) {
    news();
    partition_.node("n1", {{"cpu", 4'000}, {"pods", 110}});
    news();
    partition_.application("app-web", "root.prod.web", "bert");
    EXPECT_EQ(news(), (Lines{"2 app-web 2 203", "4 root.prod.web 2 405 ref=app-web"}));
    web("web-1", 1'000);
    EXPECT_EQ(news(), (Lines{
                          "2 app-web 2 201 ref=web-1 pods=1 vcore=1000",
                          "2 app-web 1 204",
                          "3 n1 2 303 ref=web-1 pods=1 vcore=1000",
                          "5 bert 2 603 ref=root.prod.web pods=1 vcore=1000",
                          "2 app-web 2 200 ref=web-1 pods=1 vcore=1000",
                          "2 app-web 1 206",
                      }));
    partition_.shim().release("web-1");
    EXPECT_EQ(news(), (Lines{
                          "5 bert 3 603 ref=root.prod.web pods=1 vcore=1000",
                          "2 app-web 3 500 ref=web-1 pods=1 vcore=1000",
                          "3 n1 3 303 ref=web-1 pods=1 vcore=1000",
                          "2 app-web 3 100 ref=web-1 pods=1 vcore=1000",
                          "2 app-web 1 207",
                      }));
    const DictId application = partition_.shim().id("app-web");
    partition_.shim().send(ApplicationsMessage{.add = {}, .remove = std::span(&application, 1)});
    EXPECT_EQ(news(), (Lines{"4 root.prod.web 3 405 ref=app-web", "2 app-web 3 0"}));
}

TEST_F(EventSourceTest, a_queue_made_for_an_application_comes_before_it) {
    news();
    partition_.application("app-d", "", "dora");
    EXPECT_EQ(news(), (Lines{"4 root.users.dora 2 401", "2 app-d 2 203", "4 root.users.dora 2 405 ref=app-d"}));
}

TEST_F(EventSourceTest, an_application_counts_for_its_group_while_it_has_a_node) {
    news();
    partition_.node("n1", {{"cpu", 4'000}});
    partition_.application("app-g", "root.prod.web", "alice");  // where nobody names groups, users are in their own
    news();
    partition_.ask("g-1", "app-g", {{"cpu", 1'000}}, 1'700'000'000);
    const Lines lines = news();
    EXPECT_EQ(
        Lines(lines.end() - 5, lines.end()),
        (Lines{"5 alice 1 602 ref=app-g", "5 alice 2 603 ref=root.prod.web vcore=1000",
               "5 alice 2 604 ref=root.prod.web vcore=1000", "2 app-g 2 200 ref=g-1 vcore=1000", "2 app-g 1 206"}));
    partition_.shim().release("g-1");
    EXPECT_EQ(news()[3], "5 alice 3 602 ref=app-g");
}

TEST_F(EventSourceTest, ends_of_allocations) {
    const std::pair<Termination, int> kEnds[] = {{Termination::stopped_by_rm, 500},
                                                 {Termination::preempted_by_scheduler, 501},
                                                 {Termination::timeout, 502},
                                                 {Termination::placeholder_replaced, 503},
                                                 {Termination::unknown, 504}};
    node_and_application();
    for (const auto& [termination, detail] : kEnds) {
        web("web-1", 1'000);
        news();
        const ReleaseItem item{.key = "web-1", .application = 0, .termination = termination, .message = {}};
        partition_.shim().send(ReleasesMessage{std::span(&item, 1)});
        EXPECT_EQ(news()[1], "2 app-web 3 " + std::to_string(detail) + " ref=web-1 pods=1 vcore=1000");
    }
    web("web-1", 1'000);
    news();
    partition_.node("n1", {}, {}, NodeAction::decommission);
    const Lines lines = news();
    EXPECT_EQ(lines[1], "2 app-web 3 504 ref=web-1 pods=1 vcore=1000");
    EXPECT_EQ(Lines(lines.end() - 2, lines.end()),
              (Lines{"3 n1 3 300 'Node removed from the scheduler'", "2 app-web 1 207"}));
}

TEST_F(EventSourceTest, a_node_refuses_a_pod) {
    node_and_application();
    web("web-1", 1'000);
    news();
    partition_.shim().nack("web-1");
    EXPECT_EQ(news(), (Lines{"5 bert 3 603 ref=root.prod.web pods=1 vcore=1000",
                             "2 app-web 3 500 ref=web-1 pods=1 vcore=1000", "3 n1 3 303 ref=web-1 pods=1 vcore=1000"}));
    partition_.shim().release("web-1");  // before it is tried again
    EXPECT_EQ(news(), (Lines{"2 app-web 3 100 ref=web-1 pods=1 vcore=1000", "2 app-web 1 207"}));
}

TEST_F(EventSourceTest, pods_of_other_schedulers) {
    node_and_application();
    AskItem item;
    item.foreign = true;
    item.node = partition_.shim().id("n1");
    partition_.ask("kubelet-1", "", {{"cpu", 500}}, 1'700'000'000, item);
    partition_.ask("kubelet-2", "", {{"cpu", 300}}, 1'700'000'000, item);
    EXPECT_EQ(news(), (Lines{"3 n1 2 303 ref=kubelet-1 'foreign' vcore=500", "3 n1 1 305 vcore=500",
                             "3 n1 2 303 ref=kubelet-2 'foreign' vcore=300", "3 n1 1 305 vcore=800"}));
    partition_.ask("kubelet-1", "", {{"cpu", 700}}, 1'700'000'000, item);
    EXPECT_EQ(news(), (Lines{"3 n1 3 303 ref=kubelet-1 'foreign' vcore=500", "3 n1 1 305 vcore=300",
                             "3 n1 2 303 ref=kubelet-1 'foreign' vcore=700", "3 n1 1 305 vcore=1000"}));
    partition_.shim().release("kubelet-1");
    partition_.shim().release("kubelet-2");
    EXPECT_EQ(news(), (Lines{"3 n1 3 303 ref=kubelet-1 'foreign' vcore=700", "3 n1 1 305 vcore=300",
                             "3 n1 3 303 ref=kubelet-2 'foreign' vcore=300", "3 n1 1 305 vcore=0"}));
}

TEST(EventSourceWithoutOccupied, foreign_pods_have_their_allocations_alone) {
    EventStore store;
    EventSource source{store, {.partition = "default", .zero_tick_ns = 0, .node_occupied = false}};
    answers::SmallPartition partition(true, &source);
    partition.node("n1", {{"cpu", 4'000}});
    partition.version();
    const std::uint64_t before = store.id_before_end(0);
    AskItem item;
    item.foreign = true;
    item.node = partition.shim().id("n1");
    partition.ask("kubelet-1", "", {{"cpu", 500}}, 1'700'000'000, item);
    partition.version();
    const EventSlice slice = store.read(before, 10, 10'000);
    ASSERT_EQ(slice.size(), 1u);
    EXPECT_EQ(line_of(slice[0]), "3 n1 2 303 ref=kubelet-1 'foreign' vcore=500");
}

TEST_F(EventSourceTest, reasons_come_once_in_fifteen_seconds) {
    node_and_application();
    const auto reasons = [&] {
        Lines lines;
        for (const std::string& line : news()) {
            if (line.starts_with("1 ")) lines.push_back(line);
        }
        return lines;
    };
    web("web-1", 5'000);
    const Lines first = reasons();
    ASSERT_EQ(first.size(), 1u);
    EXPECT_TRUE(
        first[0].starts_with("1 web-1 0 0 ref=app-web 'Unschedulable request 'web-1': 0/1 nodes are available: "))
        << first[0];
    std::int64_t now_ns = 0;
    std::size_t told = 0;
    for (int second = 1; second <= 40; ++second) {
        partition_.engine().apply(Tick{now_ns += 1'000'000'000});
        partition_.node("n1", {{"cpu", 4'000 + second}, {"pods", 110}}, {}, NodeAction::update);
        told += reasons().size();
    }
    EXPECT_EQ(told, 2u);
}

// Records as an engine writes them.
class WrittenSource : public ::testing::Test {
protected:
    using Kind = read_model::ChangeKind;

    void begin() {
        feed_.write({.kind = Kind::snapshot_begin});
        feed_.write({.kind = Kind::application, .state = read_model::kNoApplicationState, .id = 1},
                    {"app", "", "", read_model::as_text(read_model::ApplicationStatement{})});
        feed_.write({.kind = Kind::shape, .id = 2});
        feed_.write({.kind = Kind::pod, .state = static_cast<std::uint8_t>(read_model::PodState::backoff), .id = 3},
                    {"pod", "", read_model::as_text(read_model::PodStatement{.application = 1, .shape = 2})});
        feed_.write({.kind = Kind::snapshot_end});
        feed_.write({.kind = Kind::turn_end});
    }
    std::vector<std::string> news() {
        model_.take(feed_);
        std::vector<std::string> lines;
        const EventSlice slice = store_.read(next_, SIZE_MAX, SIZE_MAX);
        for (std::size_t at = 0; at < slice.size(); ++at) {
            lines.push_back(line_of(slice[at]));
        }
        next_ = slice.next;
        return lines;
    }

    EventStore store_;
    EventSource source_{store_, {.partition = "default", .zero_tick_ns = 0, .node_occupied = true}};
    read_model::ChangeFeed feed_;
    read_model::Model model_{&source_};
    std::uint64_t next_ = 0;
};

TEST_F(WrittenSource, long_messages_are_cut) {
    begin();
    news();
    feed_.write({.kind = Kind::pod_preempted, .id = 3}, {std::string(1'024, 'x')});
    EXPECT_EQ(news(), Lines{"1 pod 0 0 ref=app '" + std::string(1'024, 'x') + "'"});
    feed_.write({.kind = Kind::pod_preempted, .id = 3}, {std::string(1'025, 'x')});
    EXPECT_EQ(news(), Lines{"1 pod 0 0 ref=app '" + std::string(1'021, 'x') + "...'"});
}

TEST_F(WrittenSource, a_victim_is_told_by_whom) {
    begin();
    news();
    feed_.write({.kind = Kind::pod_preempted, .id = 3}, {"preempted by shim/other"});
    EXPECT_EQ(news(), Lines{"1 pod 0 0 ref=app 'Preempted by shim/other'"});
}

// Nothing of it is news but that there was a gap; afterwards everything is as before.
TEST_F(WrittenSource, is_told_anew_after_a_gap) {
    begin();
    EXPECT_EQ(news(), (Lines{"2 app 2 203", "4 root.default 2 405 ref=app", "2 app 2 201 ref=pod"}));
    begin();
    const Lines lines = news();
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(lines[0].starts_with("0 default 0 0 'events were lost here")) << lines[0];
    EXPECT_EQ(store_.counters().gaps, 1u);
    feed_.write({.kind = Kind::pod_gone, .state = 1, .id = 3});
    EXPECT_EQ(news(), Lines{"2 app 3 100 ref=pod"});
}

TEST_F(WrittenSource, wakes_streams_at_the_end_of_a_turn) {
    int woken = 0;
    const std::uint64_t stream = store_.add_stream([&] { ++woken; });
    store_.read(0, 1, 1, stream);
    feed_.write({.kind = Kind::snapshot_begin});
    news();
    EXPECT_EQ(woken, 0);
    feed_.write({.kind = Kind::turn_end});
    news();
    EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace bayplan::events
