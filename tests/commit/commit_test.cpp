// Transactions by chance, on worlds that random histories leave behind: what is undone, wholly or to a mark, was never
// there; what is finished keeps the laws.

#include <gtest/gtest.h>

#include "engine/audit.h"
#include "feed.h"
#include "generator.h"
#include "random_deltas.h"
#include "suite.h"
#include "world_digest.h"

namespace bayplan::testing {
namespace {

using property::Random;

constexpr std::uint64_t kHistories = 120;
constexpr std::uint64_t kEventsBetween = 30;

std::string audit(OpenEngine& engine) {
    std::vector<std::string> broken;
    audit_world(engine.world, engine.pipeline.selected(), engine.evaluator, broken);
    return broken.empty() ? "" : broken.front();
}

// A random transaction, all of it undone in the end. Returns the difference that is left, or "".
std::string undone(OpenEngine& engine, Random& random, const std::vector<AskId>& in_hand) {
    Commit& commit = engine.lifecycle.commit();
    RandomDeltas deltas(engine, random, in_hand);
    struct Marked {
        Commit::Mark mark;
        WorldDigest digest;
    };
    const auto marked = [&] { return Marked{commit.mark(), digest_of(engine.world, engine.pipeline)}; };
    std::vector<Marked> marks = {marked()};
    for (std::int64_t left = random.between(1, 40); left > 0; --left) {
        const bool alone = random.chance(40);  // undone at once, so that no other step hides what it leaves behind
        if (alone || random.chance(20)) {
            marks.push_back(marked());
        }
        deltas.step();
        if (alone || random.chance(10)) {
            marks.resize(alone ? marks.size() : random.between(1, static_cast<std::int64_t>(marks.size())));
            commit.undo_to(marks.back().mark);
            const std::string differs = difference(marks.back().digest, digest_of(engine.world, engine.pipeline));
            if (!differs.empty()) {
                return "after an undo in part: " + differs;
            }
        }
    }
    commit.undo_to(marks.front().mark);
    EXPECT_FALSE(commit.open());
    return difference(marks.front().digest, digest_of(engine.world, engine.pipeline));
}

std::vector<AskId> take_in_hand(OpenEngine& engine, Random& random) {
    std::vector<AskId> in_hand;
    for (std::int64_t wanted = random.between(0, 3); wanted > 0; --wanted) {
        const AskId id = engine.next();
        if (id == kNone<AskId>) {
            break;
        }
        in_hand.push_back(id);
    }
    return in_hand;
}

void put_back(OpenEngine& engine, const std::vector<AskId>& in_hand) {
    for (const AskId id : in_hand) {
        if (engine.world.asks[id].state == AskState::selected) {
            engine.world.order->refund(id);
            engine.lifecycle.make_pending(id, AskEvent::put_back);
        }
    }
}

// The history of a seed, with transactions that are undone between its events. Returns the fault, or "".
std::string history_with_transactions(std::uint64_t seed) {
    const EngineOptions options = property::options_of(seed, false);
    oracle::Oracle oracle(options);
    property::Generator generator(seed, options);
    property::Connections connections;
    OpenEngine engine(options);
    Random random(seed ^ 0x7a5ac710);
    for (std::uint64_t at = 0; at < generator.length(); ++at) {
        const property::Event event = generator.next(oracle);
        if (const auto* run = std::get_if<property::RunEvent>(&event)) {
            oracle.run(run->attempts_max);
            engine.run(run->attempts_max);
        } else {
            const property::Numbers numbers = resolve(event, oracle, connections);
            feed(oracle, event, numbers, options);
            feed(engine, event, numbers, options);
        }
        if (at % kEventsBetween == kEventsBetween - 1) {
            const std::vector<AskId> in_hand = take_in_hand(engine, random);
            std::string wrong = undone(engine, random, in_hand);
            put_back(engine, in_hand);
            wrong = wrong.empty() ? audit(engine) : wrong;
            if (!wrong.empty()) {
                return "after event " + std::to_string(at) + ": " + wrong;
            }
        }
    }
    // Undone transactions have left no trace in the decisions since.
    if (engine.sink.log() != oracle.log()) {
        return "the decisions are others than without the transactions";
    }
    const std::vector<AskId> in_hand = take_in_hand(engine, random);
    RandomDeltas deltas(engine, random, in_hand);
    for (std::int64_t left = random.between(1, 25); left > 0; --left) {
        deltas.step();
    }
    engine.lifecycle.commit().finish();
    put_back(engine, in_hand);
    return audit(engine);
}

TEST(Commit, WhatIsUndoneWasNeverThere) {
    const property::Suite suite = property::Suite::from_environment(kHistories);
    const std::uint64_t histories = std::min(suite.histories, kHistories);
    for (std::uint64_t at = 0; at < histories && !HasFailure(); ++at) {
        const property::SeedInCrashes note(suite.first_seed + at);
        EXPECT_EQ(history_with_transactions(suite.first_seed + at), "") << "seed " << suite.first_seed + at;
    }
    if (histories == kHistories) {
        for (std::size_t step = 0; step < RandomDeltas::made().size(); ++step) {
            EXPECT_GT(RandomDeltas::made()[step], 5u) << RandomDeltas::names()[step];
        }
    }
}

}  // namespace
}  // namespace bayplan::testing
