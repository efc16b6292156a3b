// Lists and watches against a server that answers by a script, faults included.
#include "kube_shim/list_watch.h"

#include <gmock/gmock.h>

#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr Resource kNodes{"Node", "/api/v1/nodes"};
constexpr Resource kMaybe{"DeviceClass", "/apis/resource.k8s.io/v1/deviceclasses", {}, true};
const std::string kPath(kNodes.path);

std::string node(const std::string& name, const std::string& version) { return object_text("Node", name, version); }

struct Followed {
    explicit Followed(std::vector<Exchange> exchanges, PlayedServer::Faults faults = {},
                      const Resource& resource = kNodes, std::chrono::milliseconds silence = std::chrono::seconds(60),
                      bool streams = false)
        : server(std::move(exchanges), std::move(faults)),
          http(access_to(server)),
          follower(resource, http, objects, random, options(silence, streams)) {}

    static ListWatchOptions options(std::chrono::milliseconds silence, bool streams = false) {
        ListWatchOptions options;
        options.streams = streams;
        options.stream_wait = std::chrono::milliseconds(200);
        options.page = 2;
        options.silence = silence;
        options.backoff_initial = std::chrono::milliseconds(2);
        options.backoff_longest = std::chrono::milliseconds(20);
        return options;
    }
    bool until_so(const std::function<bool()>& holds) {
        return until(
            [this] {
                http.turn(std::chrono::milliseconds(1));
                follower.turn(Clock::now());
            },
            holds);
    }

    PlayedServer server;
    Random random{7};
    KeptObjects objects;
    HttpClient http;
    ListWatch follower;
};

TEST(ListWatch, pages_are_read_to_the_end_and_the_watch_goes_on_from_there) {
    Followed world({listed(kPath, list_text("Node", "10", {node("a", "1"), node("b", "2")}, "page/2=")),
                    listed(kPath, list_text("Node", "10", {node("c", "3")})),
                    watched(kPath, event_text("MODIFIED", node("a", "11")) + event_text("DELETED", node("b", "12")) +
                                       event_text("ADDED", node("d", "13")))});
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("d"); }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("a", "11"), Pair("c", "3"), Pair("d", "13")));
    EXPECT_EQ(world.server.count("GET", "continue=page%2F2%3D"), 1u);
    EXPECT_EQ(world.server.count("GET", "resourceVersion=10&"), 1u);
    EXPECT_TRUE(world.follower.listed());
}

TEST(ListWatch, the_next_page_is_asked_for_before_the_objects_of_this_one_go_on) {
    // In the last of these lists the token comes behind the items, where nobody looks for it before.
    const std::string behind = R"({"kind":"NodeList","apiVersion":"v1","items":[)" + node("c", "3") +
                               R"(],"metadata":{"resourceVersion":"10","continue":"3"}})";
    Followed world({listed(kPath, list_text("Node", "10", {node("a", "1"), node("b", "2")}, "2")),
                    listed(kPath, behind), listed(kPath, list_text("Node", "10", {node("d", "4")})),
                    watched(kPath, "")});
    std::map<std::string, std::size_t> asked;
    world.objects.on_put = [&](const std::string& name) {
        asked[name] = world.http.running();
        // On the wire, not only in a queue of ours: the server has it though we have no turn meanwhile.
        EXPECT_TRUE(name != "a" || until([] {}, [&] { return world.server.count("GET", "continue=2") == 1; }));
    };
    ASSERT_TRUE(world.until_so([&] { return world.follower.listed(); }));
    EXPECT_THAT(asked, testing::ElementsAre(Pair("a", 1), Pair("b", 1), Pair("c", 0), Pair("d", 0)));
    EXPECT_EQ(world.server.count("GET", "continue="), 2u);
}

TEST(ListWatch, a_page_that_cannot_be_read_takes_the_next_one_with_it) {
    const std::string broken = R"({"kind":"NodeList","apiVersion":"v1","metadata":{"continue":"2"},"items":[1]})";
    const PlayedServer::Fault given_up{PlayedServer::Fault::Kind::answer,
                                       answer_bytes(200, list_text("Node", "10", {node("b", "1")}))};
    Followed world(
        {listed(kPath, broken), listed(kPath, list_text("Node", "10", {node("a", "1")})), watched(kPath, "")},
        [&](const CameIn& request) {
            return request.target.find("continue=2") != std::string::npos ? &given_up : nullptr;
        });
    ASSERT_TRUE(world.until_so([&] { return world.follower.listed(); }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("a", "1")));
    EXPECT_EQ(world.follower.counters().lists, 2u);
}

TEST(ListWatch, a_watch_that_was_cut_goes_on_from_the_last_version) {
    Followed world({listed(kPath, list_text("Node", "10", {})), watched(kPath, event_text("ADDED", node("a", "11"))),
                    watched(kPath, event_text("ADDED", node("b", "12")))});
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("a"); }));
    world.server.cut_watches();
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("b"); }));
    EXPECT_EQ(world.server.count("GET", "resourceVersion=11&"), 1u);
    EXPECT_EQ(world.objects.lists, 1);
}

// A server that is pressed ends watches that have more to say than it can carry: that is no failure, and not waited for.
TEST(ListWatch, a_watch_that_the_server_ends_after_an_event_goes_on_at_once) {
    Followed world({listed(kPath, list_text("Node", "10", {})),
                    watched(kPath, event_text("ADDED", node("a", "11")), true), watched(kPath, "", true),
                    watched(kPath, event_text("ADDED", node("b", "12")))});
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("b"); }));
    EXPECT_EQ(world.follower.counters().failures, 1u) << "of the watch that said nothing";
    EXPECT_EQ(world.server.count("GET", "resourceVersion=11&"), 2u);
}

TEST(ListWatch, half_an_event_is_none_and_comes_again) {
    const std::string event = event_text("ADDED", node("a", "11"));
    Followed world({listed(kPath, list_text("Node", "10", {})), watched(kPath, event.substr(0, event.size() / 2)),
                    watched(kPath, event)});
    ASSERT_TRUE(world.until_so([&] { return world.server.count("GET", "watch=1") == 1; }));
    world.server.cut_watches();
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("a"); }));
    EXPECT_EQ(world.server.count("GET", "resourceVersion=10&"), 2u);
}

TEST(ListWatch, a_bookmark_moves_the_version_and_nothing_else) {
    Followed world({listed(kPath, list_text("Node", "10", {node("a", "1")})),
                    watched(kPath, event_text("BOOKMARK", node("", "50"))), watched(kPath, "")});
    ASSERT_TRUE(world.until_so([&] { return world.follower.counters().bookmarks == 1; }));
    world.server.cut_watches();
    ASSERT_TRUE(world.until_so([&] { return world.server.count("GET", "resourceVersion=50&") == 1; }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("a", "1")));
}

TEST(ListWatch, what_went_while_the_version_expired_is_gone_after_the_new_list) {
    const std::string gone =
        R"({"kind":"Status","status":"Failure","message":"too old resource version","reason":"Expired","code":410})";
    for (const bool as_event : {true, false}) {
        const Exchange refused = as_event
                                     ? watched(kPath, event_text("ERROR", gone))
                                     : Exchange{"GET", kPath + "?watch=1", {}, {{answer_bytes(410, gone), 0}}, true};
        Followed world({listed(kPath, list_text("Node", "10", {node("a", "1"), node("b", "2")})), refused,
                        listed(kPath, list_text("Node", "90", {node("b", "80")})),
                        watched(kPath, event_text("ADDED", node("c", "91")))});
        ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("c"); }));
        EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("b", "80"), Pair("c", "91")));
        EXPECT_EQ(world.follower.counters().expired, 1u);
        EXPECT_EQ(world.server.count("GET", "resourceVersion=90&"), 1u);
    }
}

TEST(ListWatch, a_page_that_expired_begins_the_list_anew) {
    Followed world({listed(kPath, list_text("Node", "10", {node("a", "1")}, "more")),
                    {"GET", kPath + "?limit=2", {}, {{answer_bytes(410, R"({"kind":"Status","code":410})"), 0}}, true},
                    listed(kPath, list_text("Node", "20", {node("b", "15")})),
                    watched(kPath, "")});
    ASSERT_TRUE(world.until_so([&] { return world.server.count("GET", "watch=1") == 1; }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("b", "15")));
    EXPECT_EQ(world.server.count("GET", "resourceVersion=20&"), 1u);
}

TEST(ListWatch, a_server_that_has_too_much_to_do_is_asked_again) {
    int refusals = 3;
    const PlayedServer::Fault fault{PlayedServer::Fault::Kind::answer,
                                    answer_bytes(429, R"({"kind":"Status","code":429})", "Retry-After: 0\r\n")};
    Followed world({listed(kPath, list_text("Node", "10", {node("a", "1")})),
                    watched(kPath, event_text("ADDED", node("b", "11")))},
                   [&](const CameIn&) { return refusals-- > 0 ? &fault : nullptr; });
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("b"); }));
    EXPECT_EQ(world.follower.counters().failures, 3u);
    EXPECT_THAT(world.objects.faults, Contains(HasSubstr("429")));
}

TEST(ListWatch, a_silent_watch_is_given_up) {
    Followed world({listed(kPath, list_text("Node", "10", {})), watched(kPath, event_text("ADDED", node("a", "11"))),
                    watched(kPath, event_text("ADDED", node("b", "12")))},
                   {}, kNodes, std::chrono::milliseconds(100));
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("b"); }));
    EXPECT_GE(world.follower.counters().silent, 1u);
    EXPECT_EQ(world.objects.lists, 1);
}

TEST(ListWatch, a_list_that_never_comes_is_asked_for_again) {
    bool first = true;
    const PlayedServer::Fault silent{PlayedServer::Fault::Kind::silent};
    ListWatchOptions options = Followed::options(std::chrono::seconds(60));
    options.list_timeout = std::chrono::milliseconds(100);
    PlayedServer server({listed(kPath, list_text("Node", "10", {node("a", "1")})), watched(kPath, "")},
                        [&](const CameIn&) { return std::exchange(first, false) ? &silent : nullptr; });
    HttpClient http(access_to(server));
    KeptObjects objects;
    Random random(7);
    ListWatch follower(kNodes, http, objects, random, options);
    ASSERT_TRUE(until(
        [&] {
            http.turn(std::chrono::milliseconds(1));
            follower.turn(Clock::now());
        },
        [&] { return follower.listed(); }));
    EXPECT_EQ(http.renewals(), 1u) << "nothing came on the connection: it is given up";
}

TEST(ListWatch, nonsense_in_a_watch_begins_it_anew) {
    Followed world(
        {listed(kPath, list_text("Node", "10", {})),
         watched(kPath, event_text("ADDED", node("a", "11")) + "{\"type\":\n" + event_text("ADDED", node("x", "12"))),
         watched(kPath, event_text("ADDED", node("b", "12")))});
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("b"); }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("a", "11"), Pair("b", "12")));
    EXPECT_EQ(world.server.count("GET", "resourceVersion=11&"), 1u);
}

TEST(ListWatch, a_resource_that_a_server_does_not_have_is_listed_as_empty) {
    Followed world(
        {{"GET", std::string(kMaybe.path) + "?limit=2", {}, {{answer_bytes(404, "404 page not found"), 0}}, true}}, {},
        kMaybe);
    ASSERT_TRUE(world.until_so([&] { return world.follower.listed(); }));
    EXPECT_TRUE(world.objects.versions.empty());
}

TEST(ListWatch, a_list_that_cannot_be_read_is_a_failure_and_no_list) {
    Followed world(
        {listed(kPath, R"({"kind":"NodeList","metadata":{"resourceVersion":"10"},"items":[{"kind":"Node",]})"),
         listed(kPath, R"({"kind":"NodeList","metadata":{},"items":[]})"),
         listed(kPath, list_text("Node", "20", {node("b", "15")})), watched(kPath, "")});
    ASSERT_TRUE(world.until_so([&] { return world.follower.listed(); }));
    EXPECT_EQ(world.follower.counters().failures, 2u);
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("b", "15")));
}

// --- lists that come as streams

struct Streamed : Followed {
    explicit Streamed(std::vector<Exchange> exchanges, const Resource& resource = kNodes)
        : Followed(std::move(exchanges), {}, resource, std::chrono::seconds(60), true) {}
};

std::string bookmark(const std::string& version, bool ends) {
    return event_text("BOOKMARK", R"({"kind":"Node","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
                                      R"(","annotations":{)" + (ends ? R"("k8s.io/initial-events-end":"true")" : "") +
                                      "}}}");
}

TEST(StreamedLists, objects_come_by_a_watch_that_goes_on_when_they_are_all_there) {
    Streamed world({watched(kPath, event_text("ADDED", node("a", "1")) + event_text("ADDED", node("b", "2")) +
                                       event_text("DELETED", node("b", "3")) + bookmark("10", true) +
                                       event_text("ADDED", node("c", "11"))),
                    watched(kPath, event_text("ADDED", node("d", "12")))});
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("c"); }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("a", "1"), Pair("c", "11")));
    EXPECT_TRUE(world.follower.listed());
    EXPECT_EQ(world.objects.lists, 1);
    EXPECT_EQ(world.follower.counters().streamed, 1u);
    EXPECT_EQ(world.server.count("GET", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"), 1u);
    EXPECT_EQ(world.server.count("GET", "limit="), 0u);
    world.server.cut_watches();
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("d"); }));
    EXPECT_EQ(world.server.count("GET", "resourceVersion=11&"), 1u) << "from the last version, and no list";
}

TEST(StreamedLists, nothing_is_all_that_there_is_before_the_end_is_said) {
    Streamed world({watched(kPath, event_text("ADDED", node("a", "1")), true),
                    watched(kPath, event_text("ADDED", node("b", "2")) + bookmark("10", true))});
    ASSERT_TRUE(world.until_so([&] { return world.follower.counters().failures == 1; }));
    EXPECT_FALSE(world.follower.listed());
    EXPECT_EQ(world.objects.lists, 0);
    ASSERT_TRUE(world.until_so([&] { return world.follower.listed(); }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("b", "2"))) << "the list that came whole counts";
}

TEST(StreamedLists, a_server_that_refuses_or_never_says_the_end_is_asked_for_pages) {
    const std::string refusal =
        R"({"kind":"Status","message":"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"})";
    Streamed refused({{"GET", kPath + "?watch=1", {}, {{answer_bytes(422, refusal), 0}}, true},
                      listed(kPath, list_text("Node", "10", {node("a", "1")})),
                      watched(kPath, event_text("ADDED", node("b", "11")))});
    ASSERT_TRUE(refused.until_so([&] { return refused.objects.versions.contains("b"); }));
    EXPECT_EQ(refused.follower.counters().streamed, 0u);
    EXPECT_THAT(refused.objects.faults, Contains(HasSubstr("listed by pages")));

    Streamed silent({watched(kPath, event_text("ADDED", node("a", "1")) + bookmark("10", false)),
                     listed(kPath, list_text("Node", "10", {node("a", "1")})),
                     watched(kPath, event_text("ADDED", node("b", "11")))});
    ASSERT_TRUE(silent.until_so([&] { return silent.objects.versions.contains("b"); }));
    EXPECT_EQ(silent.objects.lists, 1);
    EXPECT_EQ(silent.server.count("GET", "sendInitialEvents"), 1u);
}

TEST(StreamedLists, a_server_of_which_nothing_comes_is_asked_for_pages) {
    Streamed world({watched(kPath, ""), listed(kPath, list_text("Node", "10", {node("a", "1")})),
                    watched(kPath, event_text("ADDED", node("b", "11")))});
    ASSERT_TRUE(world.until_so([&] { return world.objects.versions.contains("b"); }));
    EXPECT_EQ(world.follower.counters().streamed, 0u);
    EXPECT_EQ(world.server.count("GET", "sendInitialEvents"), 1u);
}

TEST(StreamedLists, a_resource_that_is_not_there_has_no_objects) {
    Streamed world({{"GET", std::string(kMaybe.path) + "?watch=1", {}, {{answer_bytes(404, "{}"), 0}}, true}}, kMaybe);
    ASSERT_TRUE(world.until_so([&] { return world.follower.listed(); }));
    EXPECT_TRUE(world.objects.versions.empty());
}

TEST(StreamedLists, versions_that_the_server_has_forgotten_are_listed_anew) {
    Streamed world({watched(kPath, event_text("ADDED", node("a", "1")) + bookmark("10", true) +
                                       event_text("ERROR", R"({"kind":"Status","code":410,"message":"too old"})")),
                    watched(kPath, event_text("ADDED", node("b", "20")) + bookmark("21", true))});
    ASSERT_TRUE(world.until_so([&] { return world.objects.lists == 2; }));
    EXPECT_THAT(world.objects.versions, UnorderedElementsAre(Pair("b", "20")));
}

}  // namespace
}  // namespace bayplan::kube_shim
