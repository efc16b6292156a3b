// Predicates that are switched off by the white-list and served by a plugin decide as the native ones do: two engines with the
// same nodes and pods, one with all predicates, the other without the predicates that the plugin serves, place the same
// pods on the same nodes in the same order, and send the same pods away for others. The plugin answers each query before
// the next attempt: else later pods are decided on before it has spoken, as the rules have it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random.h"
#include "served_side.h"
#include "suite.h"

namespace bayplan::property {
namespace {

class RandomCluster {
public:
    explicit RandomCluster(std::uint64_t seed, Preempts preempts = Preempts::no)
        : native(false, preempts), served(true, preempts), preempts_(preempts), random_(seed) {
        for (int i = 0; i < kNodes; ++i) {
            state_node(i, true);
        }
    }

    void step() {
        change();
        now_ns_ += 11'000'000'000;  // longer than any backoff
        native.settle(now_ns_);
        served.settle(now_ns_);
    }
    // They end at once on both sides.
    void end_victims() {
        for (const std::string& pod : std::exchange(served.victims, {})) {
            native.release(pod);
            served.release(pod);
            std::erase(pods_, pod);
        }
        native.victims.clear();
    }
    void change() {
        for (std::uint64_t changes = 1 + random_.below(4); changes > 0; --changes) {
            const std::uint64_t kind = random_.below(10);
            if (kind < 6) {
                ask();
            } else if (kind < 8 && !pods_.empty()) {
                const auto at = pods_.begin() + static_cast<std::ptrdiff_t>(random_.below(pods_.size()));
                native.release(*at);
                served.release(*at);
                pods_.erase(at);
            } else {
                state_node(static_cast<int>(random_.below(kNodes)), false);
            }
        }
    }
    void go_on() {
        served.go_on(random_);
        if (random_.chance(20)) {
            now_ns_ += random_.between(0, 3'000'000'000);
            served.tick(now_ns_);
        }
    }

    Side native;
    Side served;

private:
    static constexpr int kNodes = 6;
    static constexpr std::size_t kPodsMax = 24;

    std::string word(const char* first, std::uint64_t count) { return first + std::to_string(random_.below(count)); }

    void state_node(int number, bool is_new) {
        KubeNode node;
        node.name = "n" + std::to_string(number);
        node.labels = {{"zone", word("z", 2)}, {"disk", word("d", 2)}};
        if (random_.chance(30)) {
            node.taints.push_back(
                {word("k", 2), word("v", 2), random_.chance(70) ? TaintEffect::no_schedule : TaintEffect::no_execute});
        }
        node.unschedulable = !is_new && random_.chance(20);
        node.allocatable = {{"cpu", random_.between(2, 8) * 1'000}, {"pods", 8}};
        native.node(node, is_new);
        served.node(node, is_new);
    }

    oracle::KubeRequirement requirement() {
        const bool zone = random_.chance(50);
        oracle::KubeRequirement one{zone ? "zone" : "disk", LabelOperator::in, {zone ? word("z", 2) : word("d", 2)}};
        if (random_.chance(30)) {
            one.op = LabelOperator::not_in;
        }
        return one;
    }

    void ask() {
        if (pods_.size() >= kPodsMax) {
            return;
        }
        auto spec = std::make_shared<KubeSpec>();
        spec->name_space = "ns";
        if (random_.chance(25)) {
            spec->node_selector = {{"zone", word("z", 3)}};
        }
        if (random_.chance(30)) {
            spec->required_nodes.emplace();
            for (std::uint64_t terms = 1 + random_.below(2); terms > 0; --terms) {
                spec->required_nodes->push_back({{requirement()}, {}});
            }
        }
        if (random_.chance(40)) {
            spec->tolerations.push_back({word("k", 2), random_.chance(50), "", TaintEffect::any});
            spec->tolerations.back().value = spec->tolerations.back().exists ? "" : word("v", 2);
        }
        if (random_.chance(40)) {
            spec->ports.push_back({static_cast<int>(8'000 + random_.below(2)), Protocol::tcp, ""});
        }
        KubePod pod;
        pod.name = "p" + std::to_string(++made_);
        pod.key = "ns/" + pod.name;
        pod.spec = spec;
        // Of victims of several sizes, the fewest that make room for the amounts may be more than the fewest of all.
        const std::int64_t cpu = preempts_ == Preempts::yes ? 1'000 : random_.between(1, 20) * 100;
        pod.requests = {{"cpu", cpu}, {"pods", 1}};
        pod.priority = static_cast<std::int32_t>(random_.below(3));
        pods_.push_back(pod.name);
        native.ask(pod);
        served.ask(pod);
    }

    const Preempts preempts_;
    Random random_;
    std::vector<std::string> pods_;
    std::uint64_t made_ = 0;
    std::int64_t now_ns_ = 0;
};

constexpr std::uint64_t kClusters = 60;

TEST(ReferencePlugin, decides_as_the_native_predicates_that_it_stands_in_for) {
    const std::uint64_t clusters = Suite::share(kClusters);
    constexpr int kSteps = 150;
    std::uint64_t refusals = 0;
    std::size_t placements = 0;
    for (std::uint64_t seed = 1; seed <= clusters; ++seed) {
        RandomCluster cluster(seed);
        for (int step = 0; step < kSteps; ++step) {
            cluster.step();
            ASSERT_EQ(cluster.native.placements, cluster.served.placements) << "seed " << seed << ", step " << step;
        }
        refusals += cluster.served.refusals;
        placements += cluster.served.placements.size();
    }
    EXPECT_GT(placements, 50 * clusters) << "too few pods are placed for the test to mean much";
    EXPECT_GT(refusals, 100 * clusters) << "the plugin seldom refuses";
}

TEST(ReferencePlugin, sends_away_the_same_pods_as_the_native_predicates_do) {
    const std::uint64_t clusters = Suite::share(kClusters);
    constexpr int kSteps = 150;
    std::size_t victims = 0;
    std::uint64_t sets = 0;
    for (std::uint64_t seed = 1; seed <= clusters; ++seed) {
        RandomCluster cluster(seed, Preempts::yes);
        for (int step = 0; step < kSteps; ++step) {
            cluster.step();
            ASSERT_EQ(cluster.native.placements, cluster.served.placements) << "seed " << seed << ", step " << step;
            victims += cluster.served.victims.size();
            cluster.end_victims();
        }
        sets += cluster.served.sets;
    }
    EXPECT_GT(victims, 10 * clusters) << "too few pods go for the test to mean much";
    EXPECT_GT(sets, 2 * clusters) << "the plugin seldom has a word in it";
}

TEST(ReferencePlugin,
     no_pod_gets_a_node_that_the_plugin_would_refuse_at_that_moment_though_many_are_asked_about_at_once) {
    const std::uint64_t clusters = Suite::share(kClusters);
    constexpr int kSteps = 400;
    std::size_t placements = 0;
    std::size_t open_most = 0;
    for (std::uint64_t seed = 1; seed <= clusters; ++seed) {
        RandomCluster cluster(seed);
        for (int step = 0; step < kSteps; ++step) {
            cluster.change();
            cluster.go_on();
            ASSERT_THAT(cluster.served.stale, ::testing::IsEmpty()) << "seed " << seed << ", step " << step;
        }
        placements += cluster.served.placements.size();
        open_most = std::max(open_most, cluster.served.open_most);
    }
    EXPECT_GT(placements, 50 * clusters) << "too few pods are placed for the test to mean much";
    EXPECT_GE(open_most, 8u) << "few pods are asked about at once";
}

}  // namespace
}  // namespace bayplan::property
