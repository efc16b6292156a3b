// Random histories of the engine with a read model beside it: drained, the model shows what the oracle says, though records
// were lost on the way; and the engine decides as the oracle does, which knows of no model.
#include <gtest/gtest.h>

#include <deque>
#include <iostream>
#include <memory>

#include "crowd.h"
#include "engine/engine.h"
#include "event_audit.h"
#include "events/event_source.h"
#include "feed.h"
#include "generator.h"
#include "read_model/model.h"
#include "recording_sink.h"
#include "shown.h"
#include "suite.h"

namespace bayplan::read_model {
namespace {

using property::Random;
using property::Suite;

constexpr std::uint64_t kHistories = 400;
constexpr std::uint64_t kCrowds = 400;

// Kinds of events that random histories must have made (events/event.h).
constexpr int kDetails[] = {100, 200, 201, 203, 204, 206, 207, 300, 302, 303, 304, 305, 306,
                            401, 402, 403, 404, 405, 500, 501, 504, 600, 601, 602, 603, 604};

// Counts over all histories.
struct Met {
    std::uint64_t losses = 0;
    std::uint64_t snapshots = 0;
    std::uint64_t compared = 0;
    std::uint64_t slices = 0;  // a snapshot took more than one turn
    std::uint64_t preempting = 0;
    std::uint64_t queues = 0;
    std::uint64_t events = 0;
    std::uint64_t gaps = 0;                // in events
    std::map<int, std::uint64_t> details;  // events by detail
};

// Engine, oracle and model through one history.
class Beside {
public:
    Beside(const EngineOptions& options, std::uint64_t seed, Met& met)
        : random_(seed * 7 + 1),
          options_(options),
          feed_(random_.chance(50) ? 1u << 20 : 1u << random_.between(12, 14), random_.chance(50) ? 16'384 : 8),
          sink_(seed),
          engine_(std::make_unique<Engine>(options, sink_)),
          oracle_(options),
          met_(met) {
        attach_at_ = random_.chance(50) ? 0 : random_.between(1, 60);
        lazy_ = random_.chance(50);
    }

    const oracle::Oracle& oracle() const { return oracle_; }

    // The difference after the event, or "".
    std::string step(const property::Event& event) {
        if (steps_++ == attach_at_) {
            engine_->publish_to(feed_);
            attached_ = true;
        }
        if (const auto* run = std::get_if<property::RunEvent>(&event)) {
            engine_->run(run->attempts_max);
            oracle_.run(run->attempts_max);
        } else {
            const property::Numbers numbers = property::resolve(event, oracle_, connections_);
            property::feed(*engine_, event, numbers, options_);
            property::feed(oracle_, event, numbers, options_);
        }
        engine_->flush();
        if (!attached_ || (lazy_ && !random_.chance(15))) {
            return "";
        }
        // Now and then a part, so that snapshots and changes meet.
        if (random_.chance(30)) {
            model_.take(feed_, random_.between(0, 30));
            return "";
        }
        return compare();
    }

    std::string finish() {
        const std::string what = attached_ ? compare() : "";
        if (!what.empty()) {
            return what;
        }
        for (const auto& [version, as_it_was] : held_) {
            if (shown(*version) != as_it_was) {
                return "a version that a reader holds has changed";
            }
        }
        met_.events += audit_.events();
        met_.gaps += audit_.gaps();
        for (const auto& [detail, count] : audit_.details()) {
            met_.details[detail] += count;
        }
        met_.losses += feed_.losses();
        met_.snapshots += model_.snapshots();
        return engine_->digest() == oracle_.digest() ? "" : "the digest is another one with a model";
    }

private:
    std::string compare() {
        // Nothing happens meanwhile but turns without work.
        for (int turns = 0; turns == 0 || feed_.is_stale() || !model_.is_whole(); ++turns) {
            if (turns > 10'000) {
                return "the model does not become whole";
            }
            model_.take(feed_);
            met_.slices += engine_->publish() ? 1 : 0;
            model_.take(feed_);
        }
        if (feed_.written() != model_.changes()) {
            return "records written " + std::to_string(feed_.written()) + ", taken " + std::to_string(model_.changes());
        }
        const VersionPtr version = model_.make_version();
        const std::string fault = audit_.take(events_);
        const std::string wrong = fault.empty() ? audit_.compare(*version) : fault;
        if (!wrong.empty()) {
            return "events: " + wrong;
        }
        const Shown now = shown(*version);
        ++met_.compared;
        if (held_.size() < 6 || random_.chance(5)) {
            held_.emplace_back(version, now);
        }
        if (held_.size() > 8) {
            held_.pop_front();
        }
        version->pods.for_each([&](std::uint32_t, const Pod& pod) { met_.preempting += pod.is(kPreempting) ? 1 : 0; });
        version->queues.for_each([&](std::uint32_t, const Queue&) { ++met_.queues; });
        return difference(now, shown(oracle_));
    }

    Random random_;
    EngineOptions options_;
    ChangeFeed feed_;
    property::RecordingSink sink_;
    std::unique_ptr<Engine> engine_;
    oracle::Oracle oracle_;
    events::EventStore events_;
    events::EventSource event_source_{events_, {.partition = "default", .zero_tick_ns = 0, .node_occupied = true}};
    EventAudit audit_;
    Model model_{&event_source_};
    property::Connections connections_;
    std::deque<std::pair<VersionPtr, Shown>> held_;
    std::uint64_t steps_ = 0;
    std::uint64_t attach_at_ = 0;
    bool attached_ = false;
    bool lazy_ = false;
    Met& met_;
};

template <typename Maker>
void run_history(std::uint64_t seed, const EngineOptions& options, Maker&& maker, Met& met) {
    const property::SeedInCrashes note(seed);
    Beside beside(options, seed, met);
    std::string what;
    std::uint64_t at = 0;
    for (; at < maker.length() && what.empty(); ++at) {
        what = beside.step(maker.next(beside.oracle()));
    }
    what = what.empty() ? beside.finish() : what;
    EXPECT_EQ(what, "") << "seed " << seed << " at event " << at << " of " << maker.length();
}

TEST(ReadModel, ShowsWhatTheOracleSaysAfterRandomHistories) {
    const Suite suite = Suite::from_environment(kHistories);
    Met met;
    for (std::uint64_t i = 0; i < suite.histories && !HasFailure(); ++i) {
        const std::uint64_t seed = suite.first_seed + i;
        const EngineOptions options = property::options_of(seed, suite.with_tbb);
        run_history(seed, options, property::Generator(seed, options), met);
    }
    std::cout << met.compared << " comparisons, " << met.losses << " losses, " << met.snapshots << " snapshots, "
              << met.slices << " slices that were not the last, " << met.queues << " queues, " << met.events
              << " events, " << met.gaps << " gaps between them\n";
    if (suite.histories >= 100 && !HasFailure()) {
        EXPECT_GT(met.losses, 0u);
        EXPECT_GT(met.slices, 0u);
        EXPECT_GT(met.queues, 0u);
        EXPECT_GT(met.gaps, 0u);
        for (const int detail : kDetails) {
            EXPECT_GT(met.details[detail], 0u) << "no event has the detail " << detail;
        }
    }
}

TEST(ReadModel, ShowsPreemptionAsTheOracleDoes) {
    const Suite suite = Suite::from_environment(kCrowds, "BAYPLAN_CROWDS");
    Met met;
    for (std::uint64_t i = 0; i < suite.histories && !HasFailure(); ++i) {
        const std::uint64_t seed = suite.first_seed + i;
        Random random(seed);
        const EngineOptions options = property::crowd_options(random, suite.with_tbb);
        run_history(seed, options, property::Crowd(seed, options), met);
    }
    std::cout << met.compared << " comparisons, " << met.preempting << " pods for which victims went\n";
    if (suite.histories >= 100 && !HasFailure()) {
        EXPECT_GT(met.preempting, 0u);
    }
}

}  // namespace
}  // namespace bayplan::read_model
