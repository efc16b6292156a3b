// Elements selected ahead must follow every change between two runs. Random histories meet the edges of a batch rarely;
// here every small case is tried.
#include <set>

#include <gtest/gtest.h>

#include "feed.h"
#include "lockstep.h"
#include "small_cases.h"
#include "suite.h"

namespace bayplan::property {
namespace {

// Every low priority, number of attempts before the change, target and change.
template <typename Try>
void for_each_moment(SmallCase one, Try attempt) {
    for (int mixed = 0; mixed < one.asks * one.asks * (one.asks + 1) * kChanges; ++mixed) {
        one.target = mixed % one.asks;
        one.first = mixed / one.asks % one.asks;
        one.low = mixed / one.asks / one.asks % (one.asks + 1);
        one.change = static_cast<Change>(mixed / one.asks / one.asks / (one.asks + 1));
        attempt(one);
    }
}

// Asks without a spec, three and five of them; with one, three.
template <typename Try>
void for_each_crowd(SmallCase one, Try attempt) {
    for (const int asks : {3, 5}) {
        one.asks = asks;
        one.kit = Kit::none;
        for_each_moment(one, attempt);
    }
    one.asks = 3;
    for (int kit = 1; kit < kKits; ++kit) {
        one.kit = static_cast<Kit>(kit);
        for_each_moment(one, attempt);
    }
}

template <typename Try>
void for_each_case(Try attempt) {
    for (const std::uint32_t batch : {1, 2, 3, 4}) {
        for (const std::uint32_t depth : {1, 2}) {
            for (const BatchPath path : {BatchPath::inline_, BatchPath::graph}) {
                for (const std::uint32_t credit : {2U, 4U, 100U}) {
                    SmallCase one;
                    one.options.executor = ExecutorKind::inline_;
                    one.options.victim_workers = 0;  // a thread for each of the small cases costs more than the case
                    one.options.batch = batch;
                    one.options.depth = depth;
                    one.options.path = path;
                    one.options.credit_window = credit;
                    for_each_crowd(one, attempt);
                }
            }
        }
    }
}

// Five asks, and every credit and batch, for elements selected ahead. The effects of specs and objects show with three
// asks as well.
bool is_worth_trying(const SmallCase& one) {
    const bool plain = one.kit == Kit::none && static_cast<int>(one.change) < kPlainChanges;
    return plain || (one.asks == 3 && one.options.credit_window != 4 && one.options.batch % 2 == 0);
}

TEST(SmallScope, EveryChangeBetweenTwoRunsIsSeen) {
    const std::uint64_t stride = Suite::slowdown();
    std::uint64_t number = 0;
    int failures = 0;
    for_each_case([&](const SmallCase& one) {
        if (failures >= 3 || !is_worth_trying(one) || ++number % stride != 0) {
            return;
        }
        const History history = history_of(one);
        const auto difference = first_difference(history);
        if (difference) {
            ADD_FAILURE() << "case " << number << "\n"
                          << to_text(history) << "at event " << difference->event << ": " << difference->what;
            ++failures;
        }
    });
    EXPECT_GT(number, failures > 0 ? 0u : 200'000u);
}

// The naive scheduler's decision log.
std::vector<std::string> log_of(const History& history) {
    oracle::Oracle oracle(history.options);
    Connections connections;
    for (const Event& event : history.events) {
        if (const auto* run = std::get_if<RunEvent>(&event)) {
            oracle.run(run->attempts_max);
        } else {
            feed(oracle, event, resolve(event, oracle, connections), history.options);
        }
    }
    return oracle.log();
}

// A case whose change changed nothing would show nothing.
TEST(SmallScope, EveryChangeOfSpecsAndObjectsDecidesSomewhere) {
    std::set<Change> decided;
    SmallCase one;
    for_each_crowd(one, [&](const SmallCase& moment) {
        if (moment.asks == 3 && log_of(history_of(moment)) != log_of(history_without_change(moment))) {
            decided.insert(moment.change);
        }
    });
    for (int change = kPlainChanges; change < kChanges; ++change) {
        // A forgotten spec is kept by the asks that have it: the rest of the history goes on as it was.
        const bool forgets = static_cast<Change>(change) == Change::forget_specs;
        EXPECT_EQ(decided.contains(static_cast<Change>(change)), !forgets) << "change " << change;
    }
}

}  // namespace
}  // namespace bayplan::property
