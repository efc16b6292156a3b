// The cluster at the beginning of a history: nodes that are nearly full.
//
// Thread and errors: see crowd.h.
#include "crowd.h"
#include "crowd_queues.h"
#include "crowd_texts.h"
#include "generator.h"

namespace bayplan::property {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

EngineOptions crowd_options(Random& random, bool with_tbb) {
    EngineOptions options;
    options.daemon_instance = 1;
    options.compat = random.chance(50) ? Compat::bayplan : Compat::kubernetes_1_35;
    options.preemption = PreemptionOptions::of(options.compat);
    if (random.chance(20)) {
        PreemptionOptions& one = options.preemption;
        one.victim_order = static_cast<VictimOrder>(random.below(2));
        one.nominated_node_first = random.chance(50);
        one.lower_nominations = static_cast<LowerNominations>(random.below(2));
        one.preempt_again = static_cast<PreemptAgain>(random.below(2));
    }
    if (random.chance(75)) {
        options.preemption.daemonset = random_daemonset(random);
    }
    options.preemption.stuck_after_ns = random.chance(50) ? 30 * kSecond : random.between(1, 10) * kSecond;
    options.preemption.victim_retries = static_cast<std::uint32_t>(random.between(0, 3));
    options.backoff_early = random.chance(50);
    options.resize_in_place = random.chance(80);
    options.scale_up_cutoff = random.chance(50) ? 0 : 2;
    if (random.chance(5)) {
        options.credit_window = static_cast<std::uint32_t>(random.between(1, 10));
    }
    randomize_execution(options, random, with_tbb);
    if (random.chance(90)) {  // starting threads costs more than the whole history
        options.executor = ExecutorKind::inline_;
        options.victim_workers = 0;
    }
    if (random.chance(20)) {
        options.coscheduling.mode = Coscheduling::permit;
        options.coscheduling.permit_timeout_ns = random.between(0, 6) * kSecond;
    }
    options.coscheduling.reserve_after_ns = random.chance(20) ? 0 : random.between(1, 4) * kSecond;
    options.coscheduling.reserve_for_ns = random.chance(30) ? 300 * kSecond : random.between(1, 20) * kSecond;
    return options;
}

Crowd::Crowd(std::uint64_t seed, const EngineOptions& options, std::int64_t scale)
    : random_(seed), topology_random_(seed ^ 0x70'9010'63ULL), options_(options), scale_(scale) {
    nodes_ = random_.between(3, 8) * scale;
    counts_pods_ = random_.chance(35);
    counts_memory_ = random_.chance(35);
    priorities_ =
        random_.chance(30) ? std::vector<std::int32_t>{0, 10} : std::vector<std::int32_t>{-1, 0, 0, 1, 2, 5, 5, 100};
    daemon_percent_ = random_.pick(std::vector<std::uint64_t>{0, 0, 10, 30, 60});
    member_percent_ = random_.pick(std::vector<std::uint64_t>{0, 0, 20, 50, 80});
    specs_ = {kNoSpec, kLabelA, kLabelB, kLabelA};
    for (std::uint64_t i = random_.chance(45) ? 0 : random_.between(1, 4); i > 0; --i) {
        specs_.push_back(static_cast<SpecNumber>(random_.between(kPortOfA, kCrowdSpecs - 1)));
    }
    shims_.emplace_back("s");
    if (random_.chance(25)) {
        shims_.emplace_back("t");
    }
    state_cluster();
    length_ = plan_.size() + static_cast<std::uint64_t>(random_.between(15, 80) * scale);
}

void Crowd::introduce(const std::string& shim) {
    plan_.push_back(ConnectEvent{shim, 1, true, Received::last, 0});
    const auto state = [&](oracle::OwnedBody body) { plan_.push_back(StateEvent{shim, 0, false, std::move(body)}); };
    state(oracle::OwnedDefine{crowd_dictionary()});
    state(oracle::OwnedResyncBegin{});
    state(applications());
    state(oracle::OwnedSpecs{crowd_specs(), {}});
}

oracle::OwnedApplications Crowd::applications() const {
    oracle::OwnedApplications out;
    if (!options_.queues) {
        out.add.push_back({kApplication, 0, 0});
        return out;
    }
    for (DictId i = 0; i < kQueueNames; ++i) {
        out.add.push_back({kOtherApplication + i, kQueueName + i, kUserName});
    }
    return out;
}

DictId Crowd::application(std::uint64_t hog_percent) {
    if (!options_.queues) {
        return kApplication;
    }
    return kOtherApplication + (random_.chance(hog_percent) ? hog_ : static_cast<DictId>(random_.below(kQueueNames)));
}

void Crowd::state_cluster() {
    if (options_.queues) {
        plan_.push_back(QueuesEvent{crowd_queues(random_)});
        hog_ = static_cast<DictId>(random_.below(kQueueNames));
    }
    for (const std::string& shim : shims_) {
        introduce(shim);
    }
    oracle::OwnedNodes nodes;
    for (std::int64_t i = 0; i < nodes_; ++i) {
        nodes.nodes.push_back(node(kNode + static_cast<DictId>(i)));
    }
    plan_.push_back(StateEvent{"s", 0, false, nodes});
    oracle::OwnedObjects budgets;
    for (std::int64_t i = random_.between(0, 3); i > 0; --i) {
        budgets.objects.push_back(budget());
    }
    plan_.push_back(StateEvent{"s", 0, false, budgets});
    for (const std::string& shim : shims_) {
        oracle::OwnedAsks placed;
        for (std::int64_t i = random_.between(nodes_, 6 * nodes_); i > 0; --i) {
            placed.asks.push_back(pod("ns/" + shim + std::to_string(keys_++)));
            placed.asks.back().node = any_node();
            placed.asks.back().foreign = random_.chance(4);
            placed.asks.back().terminating = random_.chance(8);
            placed.asks.back().preempted = placed.asks.back().terminating && random_.chance(30);
        }
        plan_.push_back(StateEvent{shim, 0, false, placed});
        plan_.push_back(StateEvent{shim, 0, false, oracle::OwnedResyncEnd{}});
    }
}

oracle::OwnedNode Crowd::node(DictId name) {
    oracle::OwnedNode out{name, NodeAction::create, {{kCpu, random_.between(4, 12)}}};
    if (counts_memory_) {
        out.capacity.push_back({kMemory, random_.between(4, 12)});
    }
    if (counts_pods_) {
        out.capacity.push_back({kPods, random_.between(2, 8)});
    }
    out.attributes = {{kHostname, name}, {kZone, random_.chance(50) ? kEast : kWest}};
    if (random_.chance(5)) {
        out.taints = {{kTaint, 0, TaintEffect::no_schedule}};
    }
    return out;
}

ObjectItem Crowd::budget() {
    PodBudget out{kSpace,
                  kBudget + static_cast<DictId>(random_.below(3)),
                  std::nullopt,
                  static_cast<std::int32_t>(random_.between(0, 3)),
                  {}};
    if (random_.chance(95)) {
        out.selector = LabelSelector{{{kApp, LabelOperator::in, {kAppA + static_cast<DictId>(random_.below(3))}}}};
    }
    return {out, random_.chance(5)};
}

std::vector<Amount> Crowd::requests() {
    std::vector<Amount> out;
    if (random_.chance(90)) {
        out.push_back({kCpu, random_.chance(12) ? random_.between(5, 10) : random_.between(1, 4)});
    }
    if (counts_memory_ && random_.chance(60)) {
        out.push_back({kMemory, random_.between(1, 5)});
    }
    if (counts_pods_) {
        out.push_back({kPods, 1});
    }
    return out;
}

oracle::OwnedAsk Crowd::pod(const std::string& key) {
    oracle::OwnedAsk out{
        .key = key, .application = application(plan_.empty() ? 15 : 85), .priority = random_.pick(priorities_)};
    out.requests = requests();
    out.spec = random_.pick(specs_);
    out.qos = static_cast<QosClass>(random_.below(4));
    out.started_ms = random_.chance(70) ? random_.between(1, 4) : 0;
    out.grace_period_s = static_cast<std::int32_t>(random_.between(-1, 8));
    out.daemonset = random_.chance(daemon_percent_ / 3);
    out.is_static = random_.chance(4);
    out.never_victim = random_.chance(15);
    out.originator = random_.chance(15);
    if (random_.chance(member_percent_)) {
        join_group(out);
    }
    return out;
}

// Of one of three groups, mostly with its minimum and its priority.
void Crowd::join_group(oracle::OwnedAsk& ask) {
    const std::uint64_t which = random_.below(3);
    ask.group = kGroup + static_cast<DictId>(which);
    ask.group_min_available = static_cast<std::uint32_t>(random_.chance(97) ? which + 1 : 2);
    ask.priority = random_.chance(97) ? priorities_[which % priorities_.size()] : ask.priority;
    if (topologies_ && which > 0) {
        ask.group_topology_key = topology_random_.chance(97) ? DictId{kZone} : DictId{0};
        ask.group_topology_preferred = which == 2;
    }
    if (random_.chance(70)) {
        ask.spec = kLabelA;
    }
}

}  // namespace bayplan::property
