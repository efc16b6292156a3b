// Bounded arrivals: once no more asks come above it, an ask is placed or preempts within K attempts, whatever goes on
// below it, and even if victims never go.
//
// K. An attempt of such an ask `a` that neither places it nor preempts means: each node that would take it without the
// pods below is held by a nomination not below `a`, or left out because a pod on it is stuck. Only H asks are not below
// `a`, and each is nominated at most once to each of the N nodes: its nomination ends when it is placed, or when a
// victim is stuck, and then it leaves the node out. A nomination lasts no longer than the longest grace, the time until
// a pod is stuck, and a backoff. So after T = H * N * (grace + stuck + backoff) nobody is in the way, and the next
// attempt places `a`, or preempts, or no node is left that could help. In T there are at most 4 attempts while its
// backoff grows (1, 2, 4, 8 s), and one each 10 s from then on: K = 5 + T / 10 s + 1.
#include <gtest/gtest.h>

#include <map>

#include "crowd_texts.h"
#include "lockstep.h"
#include "preemption_laws.h"
#include "random.h"
#include "suite.h"

namespace bayplan::property {
namespace {

constexpr std::uint64_t kArrivals = 150;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int32_t kAbove = 10;    // who is meant; everybody else is below
constexpr std::int32_t kGraceMax = 8;  // seconds
constexpr std::int64_t kStuckAfter = 5;
constexpr std::int64_t kBackoffMax = 10;

class Arrivals {
public:
    explicit Arrivals(std::uint64_t seed) : random_(seed), options_(options(seed)), lockstep_(options_) {
        step(ConnectEvent{"s", 1, true, Received::last, 0});
        send(oracle::OwnedDefine{crowd_dictionary()});
        send(oracle::OwnedResyncBegin{});
        send(oracle::OwnedApplications{{{kApplication, 0, 0}}, {}});
        send(oracle::OwnedSpecs{crowd_specs(), {}});
        oracle::OwnedNodes nodes;
        for (std::int64_t i = 0; i < nodes_; ++i) {
            nodes.nodes.push_back({kNode + static_cast<DictId>(i), NodeAction::create, {{kCpu, 10}}});
        }
        send(nodes);
        send(oracle::OwnedResyncEnd{});
    }

    std::string trouble() const { return trouble_; }
    const oracle::Oracle& oracle() const { return lockstep_.oracle(); }

    // A second in which pods come and go, and the kubelets do what they are told.
    void second(std::int32_t highest) {
        oracle::OwnedAsks come;
        for (std::int64_t i = random_.between(0, 3); i > 0; --i) {
            come.asks.push_back(pod(random_.chance(15) ? highest : static_cast<std::int32_t>(random_.below(kAbove))));
        }
        send(come);
        go();
        step(TickEvent{oracle().now() + kSecond});
        step(RunEvent{1000});
        if (trouble_.empty()) {
            trouble_ = broken_sleep(oracle());
        }
    }
    // With a node to hope for.
    bool any_above_waits() const {
        return std::any_of(oracle().asks().begin(), oracle().asks().end(), [&](const auto& one) {
            const oracle::Ask& ask = one.second;
            return ask.priority >= kAbove && ask.node.empty() &&
                   (!ask.nominated_node.empty() || !helpful_node(oracle(), ask).empty());
        });
    }
    std::int64_t waiting_above() const {
        return std::count_if(oracle().asks().begin(), oracle().asks().end(),
                             [](const auto& one) { return one.second.priority >= kAbove && one.second.node.empty(); });
    }
    std::int64_t nodes() const { return nodes_; }

private:
    static EngineOptions options(std::uint64_t seed) {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.victim_workers = 0;
        options.compat = seed % 2 == 0 ? Compat::bayplan : Compat::kubernetes_1_35;
        options.preemption = PreemptionOptions::of(options.compat);
        options.preemption.stuck_after_ns = kStuckAfter * kSecond;
        options.backoff_early = false;
        return options;
    }
    void step(const Event& event) {
        const std::string difference = trouble_.empty() ? lockstep_.step(event) : "";
        trouble_ = trouble_.empty() ? difference : trouble_;
    }
    void send(oracle::OwnedBody body) { step(StateEvent{"s", 0, false, std::move(body)}); }

    oracle::OwnedAsk pod(std::int32_t priority) {
        oracle::OwnedAsk out{
            .key = "ns/p" + std::to_string(keys_++), .application = kApplication, .priority = priority};
        out.requests = {{kCpu, random_.between(1, priority >= kAbove ? 9 : 4)}};
        out.spec = random_.chance(15) ? kPortOfA : kLabelA;
        out.grace_period_s = static_cast<std::int32_t>(random_.between(0, kGraceMax));
        return out;
    }
    // Pods below end, or are withdrawn, by themselves now and then; victims at the end of their grace, unless they are stuck.
    void go() {
        oracle::OwnedReleases out;
        for (const auto& [sequence, ask] : oracle().asks()) {
            const bool over = ask.terminating_since + ask.grace_period_s * kSecond <= oracle().now();
            const bool ends =
                ask.pod.terminating ? over && sequence % 7 != 0 : random_.chance(ask.node.empty() ? 20 : 3);
            if (ask.priority < kAbove && ends) {
                out.releases.push_back({ask.key, 0});
            }
        }
        send(out);
    }

    Random random_;
    const std::int64_t nodes_ = random_.between(2, 6);
    EngineOptions options_;
    Lockstep lockstep_;
    std::string trouble_;
    std::uint64_t keys_ = 0;
};

// Attempts of each ask since a line of the log, until it was placed or preempted.
std::map<std::string, std::int64_t> attempts_in_vain(const oracle::Oracle& oracle, std::size_t from) {
    std::map<std::string, std::int64_t> out;
    std::set<std::string> served;
    for (std::size_t i = from; i < oracle.log().size(); ++i) {
        std::istringstream line(oracle.log()[i]);
        std::string number, now, kind, ask;
        line >> number >> now >> kind >> ask;
        if (kind == "place" || kind == "nominate") {
            served.insert(ask);
        } else if (kind == "fail" && !served.contains(ask)) {
            ++out[ask];
        }
    }
    return out;
}

TEST(Arrivals, AnAskIsServedWithinKAttempts) {
    const Suite suite = Suite::from_environment(kArrivals * 10, "BAYPLAN_CROWDS");
    std::int64_t most = 0;
    std::int64_t rounds = 0;
    for (std::uint64_t i = 0; i < suite.histories / 10 + 1 && !HasFailure(); ++i) {
        const std::uint64_t seed = suite.first_seed + i;
        const SeedInCrashes note(seed);
        Arrivals arrivals(seed);
        for (int second = 0; second < 25; ++second) {
            arrivals.second(kAbove + second % 3);
        }
        const std::size_t from = arrivals.oracle().log().size();
        const std::int64_t ahead = arrivals.waiting_above();
        const std::int64_t time = ahead * arrivals.nodes() * (kGraceMax + kStuckAfter + kBackoffMax);
        const std::int64_t attempts = 5 + time / kBackoffMax + 1;
        for (std::int64_t second = 0; second <= time && arrivals.any_above_waits(); ++second, ++rounds) {
            arrivals.second(kAbove - 1);
        }
        ASSERT_EQ(arrivals.trouble(), "") << "seed " << seed;
        EXPECT_FALSE(arrivals.any_above_waits()) << "seed " << seed << ": somebody waits after " << time << " s";
        for (const auto& [key, in_vain] : attempts_in_vain(arrivals.oracle(), from)) {
            const oracle::Ask* ask = arrivals.oracle().find_ask("s", key.substr(2));
            if (ask != nullptr && ask->priority >= kAbove) {
                EXPECT_LT(in_vain, attempts) << "seed " << seed << ": " << key;
                most = std::max(most, in_vain);
            }
        }
    }
    std::cout << "  at most " << most << " attempts in vain; " << rounds << " seconds of arrivals below\n";
    EXPECT_TRUE(most > 0 || suite.histories == 1) << "the bound was never put to the test";
}

}  // namespace
}  // namespace bayplan::property
