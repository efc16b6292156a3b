// Whole runs of a real API server, played to the shim byte for byte: it does what it did when they were recorded.
#include "replay.h"

#include <algorithm>
#include <regex>

#include <gmock/gmock.h>

#include "kube_shim/embedded.h"
#include "kube_shim/shim.h"
#include "played_server.h"

namespace bayplan::kube_shim {
namespace {

using testing::IsEmpty;

constexpr auto kShortest = std::chrono::milliseconds(1);

// As `bayplan-kube --embedded` makes it, but for shorter waits.
struct Played {
    explicit Played(const std::string& name)
        : replay(std::string(BAYPLAN_RECORDED) + "/" + name + ".recording"),
          shim(options(), make, [this](const std::string& line) { log.push_back(line); }) {}

    ShimOptions options() const {
        ShimOptions options;
        options.access.server = replay.url();
        options.list_watch.backoff_initial = kShortest;
        options.list_watch.backoff_longest = std::chrono::milliseconds(20);
        options.instance = "bayplan-kube-test";
        return options;
    }
    static std::unique_ptr<Partition> make(Books& books, DecisionHandler& handler, std::string&) {
        return EmbeddedPartition::stated_by(books, kube_options(), handler,
                                            [](const std::string& what) { ADD_FAILURE() << what; });
    }
    bool run(const std::function<void(std::size_t)>& before = {}) {
        const bool whole = replay.run(
            [this] {
                EXPECT_TRUE(shim.turn(kShortest));
                return shim.moved();
            },
            before);
        EXPECT_TRUE(whole) << "waited in vain for " << replay.waiting_for() << "\n" << testing::PrintToString(log);
        EXPECT_THAT(replay.unexpected(), IsEmpty());
        return whole;
    }
    // Bodies of the recorded requests of this kind, or of the requests that came; times and versions do not count.
    std::vector<std::string> bodies(const std::string& method, const std::string& part, bool recorded) const {
        static const std::regex kTimes("\"(lastTransitionTime|resourceVersion)\":\"[^\"]*\"");
        std::vector<std::string> found;
        for (std::size_t i = 0; i < replay.recorded().size(); ++i) {
            const Replay::Request& one = replay.recorded()[i];
            if (one.method == method && one.target.find(part) != std::string::npos) {
                for (const Replay::Request& request : recorded ? std::vector{one} : replay.came(i)) {
                    found.push_back(request.target + " " + std::regex_replace(request.body, kTimes, ""));
                }
            }
        }
        std::ranges::sort(found);
        return found;
    }
    void expect_same(const std::string& method, const std::string& part, std::size_t least) const {
        EXPECT_EQ(bodies(method, part, true), bodies(method, part, false));
        EXPECT_GE(bodies(method, part, true).size(), least) << "the recording shows nothing of that";
    }
    ListWatchCounters counters() const {
        ListWatchCounters sum;
        for (const auto& one : shim.list_watches()) {
            sum.lists += one->counters().lists;
            sum.expired += one->counters().expired;
            sum.failures += one->counters().failures;
        }
        return sum;
    }

    std::vector<std::string> log;
    Replay replay;
    Shim shim;
};

TEST(Replay, a_preemption_goes_as_it_did) {
    Played played("preemption");
    ASSERT_TRUE(played.run());
    played.expect_same("POST", "/binding", 7);
    played.expect_same("PATCH", "/status", 4);
    played.expect_same("DELETE", "/pods/", 2);
    EXPECT_EQ(played.shim.binder().counters().bound, played.bodies("POST", "/binding", true).size());
}

TEST(Replay, a_preemption_goes_the_same_way_with_all_watches_cut_again_and_again) {
    Played played("preemption");
    ASSERT_TRUE(played.run([&](std::size_t step) {
        if (step > 60 && step % 17 == 0) {
            played.replay.cut_watches();
        }
    }));
    played.expect_same("POST", "/binding", 7);
    played.expect_same("DELETE", "/pods/", 2);
    EXPECT_GT(played.counters().failures, 0u);
    EXPECT_EQ(played.counters().lists, played.shim.list_watches().size());
}

TEST(Replay, a_server_that_comes_back_without_its_history_is_listed_again) {
    Played played("expired");
    ASSERT_TRUE(played.run());
    played.expect_same("POST", "/binding", 3);
    EXPECT_GT(played.counters().expired, 0u);
    EXPECT_GT(played.counters().lists, played.shim.list_watches().size());
    EXPECT_EQ(played.shim.books().pods(), 2u) << "what was deleted meanwhile is gone";
}

TEST(Replay, a_server_that_has_too_much_to_do_gets_every_binding_once_it_takes_them) {
    Played played("preemption");
    played.replay.refuse_first("POST", "/binding",
                               answer_bytes(429, R"({"kind":"Status","code":429})", "Retry-After: 0\r\n"));
    ASSERT_TRUE(played.run());
    played.expect_same("POST", "/binding", 7);
    played.expect_same("DELETE", "/pods/", 2);
    EXPECT_EQ(played.shim.requests().counters().too_many, 7u);
}

}  // namespace
}  // namespace bayplan::kube_shim
