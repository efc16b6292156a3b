// The settings of a history, by chance.
//
// Thread and errors: see generator.h.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include "generator.h"

namespace bayplan::property {

namespace {

// One to four corners, rising or not.
std::vector<ScorePoint> random_shape(Random& random) {
    std::vector<ScorePoint> shape;
    for (std::int64_t at = random.between(0, 40); at <= 100 && shape.size() < 4; at += random.between(1, 60)) {
        shape.push_back({static_cast<std::int32_t>(at), static_cast<std::int32_t>(random.between(0, 10))});
    }
    return shape;
}

}  // namespace

void randomize_execution(EngineOptions& options, Random& random, bool with_tbb) {
    options.executor = static_cast<ExecutorKind>(random.below(with_tbb ? 3 : 2));
    options.path = static_cast<BatchPath>(random.below(3));
    options.simd = static_cast<SimdLevel>(random.below(4));
    options.workers = random.pick(std::vector<std::uint32_t>{1, 2, 4});
    options.shards = random.pick(std::vector<std::uint32_t>{1, 3, 4, 7, 16});
    options.batch = random.pick(std::vector<std::uint32_t>{1, 16, 64, 256});
    options.depth = random.pick(std::vector<std::uint32_t>{1, 2, 1, 2, 3, 5});
    options.victim_workers = static_cast<std::uint32_t>(random.below(4));
    options.victim_path = random.pick(std::vector<VictimPath>{
        VictimPath::automatic, VictimPath::inline_, VictimPath::workers, VictimPath::workers, VictimPath::plain});
}

namespace {

// Each by itself, not only as the two values of `compat` have them.
PreemptionOptions random_preemption(Random& random, Compat compat) {
    PreemptionOptions out = PreemptionOptions::of(compat);
    if (random.chance(60)) {
        out.victim_order = static_cast<VictimOrder>(random.below(2));
        out.nominated_node_first = random.chance(50);
        out.lower_nominations = static_cast<LowerNominations>(random.below(2));
        out.preempt_again = static_cast<PreemptAgain>(random.below(2));
    }
    out.enabled = random.chance(93);
    out.stuck_after_ns = random.chance(50) ? 30'000 * kMs : random.between(1, 20'000 * kMs);
    out.victim_retries = static_cast<std::uint32_t>(random.between(0, 3));
    out.daemonset = random_daemonset(random);
    return out;
}

// Kinds of the histories and a kind that nothing has, in any order.
std::vector<ScoredResource> random_scored(Random& random) {
    std::vector<std::string> names{"cpu", "memory", "ephemeral-storage", "example.com/gpu", "pods", "example.com/none"};
    std::vector<ScoredResource> out;
    for (std::int64_t left = random.between(1, 4); left > 0; --left) {
        const std::size_t at = random.below(names.size());
        out.push_back({names[at], static_cast<std::int32_t>(random.chance(40) ? 1 : random.between(1, 100))});
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return out;
}

}  // namespace

DaemonsetOptions random_daemonset(Random& random) {
    DaemonsetOptions out;
    out.enabled = random.chance(85);
    out.delay_ns = random.chance(35) ? 0 : random.chance(40) ? 30'000 * kMs : random.between(1, 8'000) * kMs;
    out.expiry_ns = random.chance(60) ? 3'600'000 * kMs : random.chance(30) ? 0 : random.between(1, 60'000) * kMs;
    out.strategies = static_cast<VictimStrategies>(random.below(4));
    out.single_deviation = random.pick(std::vector<std::int64_t>{0, 5, 10, 10, 25, 100, 400}) * kPercent;
    out.of_node_max = random.pick(std::vector<std::uint32_t>{1, 2, 32, 32});
    out.multiple_max = random.pick(std::vector<std::uint32_t>{1, 2, 3, 10, 10});
    out.foreign_victims = random.chance(40);
    return out;
}

CoschedulingOptions random_coscheduling(Random& random) {
    CoschedulingOptions out;
    out.reserve_after_ns = random.chance(20) ? 0 : random.chance(20) ? 60'000 * kMs : random.between(1, 3'000) * kMs;
    out.reserve_for_ns = random.chance(30) ? 300'000 * kMs : random.between(1, 8'000) * kMs;
    if (random.chance(35)) {
        out.mode = Coscheduling::permit;
        out.permit_timeout_ns = random.chance(40) ? 10'000 * kMs : random.between(0, 5'000) * kMs;
        out.permit_timeout_per_member_ns = random.chance(50) ? 10 * kMs : random.between(0, 2'000) * kMs;
    }
    return out;
}

EngineOptions random_options(Random& random, bool with_tbb) {
    EngineOptions options;
    options.daemon_instance = random.next() | 1;
    options.credit_window = random.chance(40) ? static_cast<std::uint32_t>(random.between(1, 40)) : 65'536;
    options.unacknowledged_max = random.chance(15) ? static_cast<std::uint32_t>(random.between(20, 200)) : 262'144;
    options.dictionary_max = random.chance(6) ? static_cast<std::uint32_t>(random.between(30, 60)) : 1'000'000;
    options.nodes_max = random.chance(10) ? static_cast<std::uint32_t>(random.between(2, 12)) : 200'000;
    options.applications_max = random.chance(10) ? static_cast<std::uint32_t>(random.between(1, 3)) : 100'000;
    options.asks_max = random.chance(12) ? static_cast<std::uint32_t>(random.between(3, 40)) : 10'000'000;
    options.specs_max = random.chance(8) ? static_cast<std::uint32_t>(random.between(1, 5)) : 200'000;
    Random terms_dice(Random(random).next() ^
                      std::uint64_t{0x7465'726d});  // its own: the rest of the history stays as it was
    options.label_terms_max = terms_dice.chance(15) ? static_cast<std::uint32_t>(terms_dice.between(1, 3)) : 1'024;
    Random keys_dice(Random(random).next() ^ std::uint64_t{0x6b65'7973});
    options.topology_keys_max = keys_dice.chance(15) ? static_cast<std::uint32_t>(keys_dice.between(1, 3)) : 256;
    options.objects_max = random.chance(8) ? static_cast<std::uint32_t>(random.between(1, 12)) : 2'000'000;
    options.backoff_initial_ns = random.chance(50) ? 1000 * kMs : random.between(1, 3000 * kMs);
    options.backoff_max_ns = options.backoff_initial_ns * random.between(1, 12);
    options.score = static_cast<ScorePolicy>(random.below(3));
    if (random.chance(60)) {
        options.score_shape = random_shape(random);
    }
    options.compat = random.chance(50) ? Compat::bayplan : Compat::kubernetes_1_35;
    if (random.chance(25)) {
        for (const ScoreRow& row : kScoreRows) {
            if (row.weight > 0) {
                options.weights[row.id] = static_cast<std::int32_t>(random.between(0, 4));
            }
        }
    }
    // The first row that is off unless set throws the common dice, later ones their own: a new one shifts no history.
    bool first = true;
    for (const ScoreRow& row : kScoreRows) {
        if (row.weight == 0) {
            Random own(Random(random).next() ^ (std::uint64_t{0x7767'6874} + static_cast<std::uint64_t>(row.id)));
            Random& dice = std::exchange(first, false) ? random : own;
            options.weights[row.id] = dice.chance(30) ? static_cast<std::int32_t>(dice.between(1, 60)) : 0;
        }
    }
    if (random.chance(12)) {
        for (const std::string& name : oracle::kube_predicate_names()) {
            if (name == "NodeResourcesFit" || random.chance(60)) {
                options.predicates.push_back(name);
            }
        }
    }
    options.preemption = random_preemption(random, options.compat);
    options.backoff_early = random.chance(75);
    options.avoid_rejecting_ns = random.chance(20) ? 0 : random.between(1, 60'000 * kMs);
    options.resize_in_place = random.chance(80);
    options.device_choice = static_cast<DeviceChoice>(random.below(2));
    options.scale_up_cutoff = random.pick(std::vector<std::int32_t>{0, 0, -5, 10, INT32_MIN});
    options.bytes_max = random.chance(75) ? 0 : static_cast<std::uint64_t>(random.between(4'000, 400'000));
    options.unacknowledged_bytes_max =
        random.chance(85) ? 0 : static_cast<std::uint64_t>(random.between(1'000, 20'000));
    options.resync_deadline_ns = random.chance(30)   ? 30'000 * kMs
                                 : random.chance(10) ? 0
                                                     : random.between(1, 3'000 * kMs);
    randomize_execution(options, random, with_tbb);
    options.queues = random.chance(20);  // from here on the last: seeds keep what they had before there were queues
    options.allocation_tags = random.chance(90);
    options.user_groups = random.chance(90);
    options.application_idle_ns = random.chance(15) ? 0 : random.between(1, 30'000) * kMs;
    options.made_queues_max = random.chance(8) ? static_cast<std::uint32_t>(random.between(0, 3)) : 4'096;
    if (random.chance(14)) {
        options.shim_rights = random_rights(random);
    }
    options.plugins = random_plugins(random);
    options.coscheduling = random_coscheduling(random);
    if (random.chance(30)) {
        options.score_resources = random_scored(random);
    }
    options.preemption.guarantee =
        Random(Random(random).next()).chance(92);  // the histories of before there was any stay as they are
    options.application_tags = Random(~Random(random).next()).chance(92);                  // likewise
    options.forced_by_right = Random(Random(random).next() ^ 0x666f'7263'65U).chance(90);  // likewise
    return options;
}

}  // namespace bayplan::property
