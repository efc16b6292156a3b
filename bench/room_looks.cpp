// See room_looks.h and guarantee_bench.cpp.
#include "room_looks.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "measure/forgetting_sink.h"
#include "measure/stopwatch.h"
#include "oracle_side.h"
#include "room_shim.h"

namespace bayplan::bench {
namespace {

using measure::Cost;
using measure::cost_of;
using measure::ForgettingSink;

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kLast_s = 4;

EngineOptions options() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.queues = true;
    options.preemption.guarantee = true;
    options.applications_max = 200'000;  // those with asks are as many as a shim may have by default
    return options;
}

// A second of the cluster's begins with a look. The clocks of the leaves begin in the first, and are due in the second, where
// they do not wait longer.
template <typename Side, typename Take, typename Time>
void play(const RoomLoad& load, Claims claims, Side& side, Take&& take, Time&& time) {
    RoomShim<Side> shim(load, claims, side);
    const auto run = [&] {
        for (; side.has_work(); take()) side.run(4'096);
    };
    take();
    shim.use_up();
    run();
    shim.ask_for_room();
    run();
    for (std::int64_t second = 1; second <= kLast_s; ++second) {
        take();  // something has happened since the last look
        time(second, [&] { side.apply(Tick{second * kSecond_ns}); });
        run();
    }
}

struct Result {
    Cost cost;  // of a look
    std::string digest;
    bool good = true;
};

// The look that is measured: claims find somebody in one alone.
bool is_measured(Claims claims, std::int64_t second) { return claims == Claims::find ? second == 2 : second > 2; }

bool is_as_it_must_be(const RoomLoad& load, Claims claims, const EngineCounters& counters) {
    const bool find = claims == Claims::find;
    return counters.room_looks >= kLast_s && counters.allocations == load.all_leaves() &&
           counters.room_claims == (find ? 0 : load.all_leaves()) &&
           counters.room_victims == (find ? load.all_leaves() : 0);
}

void run_once(const RoomLoad& load, Claims claims, Result& result) {
    ForgettingSink sink;
    Engine engine(options(), sink);
    play(
        load, claims, engine,
        [&] {
            engine.flush();
            engine.settle();
            engine.apply(Acknowledge{1, sink.last});
        },
        [&](std::int64_t second, auto&& look) {
            const Cost cost = cost_of(look);
            if (is_measured(claims, second)) {
                result.cost.keep_least(cost);
            }
        });
    const std::string digest = engine.digest();
    result.good = result.good && sink.faults == 0 && is_as_it_must_be(load, claims, engine.counters()) &&
                  (result.digest.empty() || result.digest == digest);
    result.digest = digest;
}

bool as_the_oracle(const RoomLoad& load, Claims claims, const std::string& digest) {
    OracleSide oracle(options());
    play(
        load, claims, oracle,
        [&] {
            oracle.apply(Acknowledge{1, oracle.last_decision()});
        },
        [](std::int64_t, auto&& look) { look(); });
    return oracle.digest() == digest;
}

bool measure(const RoomLoad& load, int runs, bool beside_oracle) {
    std::array<Result, 3> results;
    bool good = true;
    for (const Claims claims : {Claims::wait, Claims::in_vain, Claims::find}) {
        Result& result = results[static_cast<std::size_t>(claims)];
        for (int run = 0; run < runs; ++run) {
            run_once(load, claims, result);
        }
        good = good && result.good && (!beside_oracle || as_the_oracle(load, claims, result.digest));
    }
    const auto ms = [&](Claims claims) { return 1e3 * results[static_cast<std::size_t>(claims)].cost.engine_cpu; };
    std::printf("%-52s %9.2f %9.2f %9.2f %.12s%s\n", load.name.c_str(), ms(Claims::wait), ms(Claims::in_vain),
                ms(Claims::find), results[2].digest.c_str(), good ? "" : "  FAULT: too few claims, or digests differ");
    std::fflush(stdout);
    return good;
}

}  // namespace

bool measure_room_looks(bool small, int runs) {
    std::printf("\n%-52s %9s %9s %9s %s\n", "a look for room, ms", "wait", "in vain", "find", "digest");
    if (small) {
        return measure({.name = "Room/10Nodes_9Queues_54Asks",
                        .nodes = 10,
                        .parents = 3,
                        .leaves = 3,
                        .applications = 2,
                        .asks = 3},
                       runs, true);
    }
    const RoomLoad some = {.name = "Room/5000Nodes_1000Queues_100000Asks",
                           .nodes = 5'000,
                           .parents = 10,
                           .leaves = 100,
                           .applications = 10,
                           .asks = 10};
    RoomLoad many = some;
    many.name = "Room/5000Nodes_10000Queues_1000000Asks";
    many.parents = 100;
    const bool good = measure(some, runs, false);
    return measure(many, runs, false) && good;
}

}  // namespace bayplan::bench
