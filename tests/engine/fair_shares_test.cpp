// Fairness as a law of trees of a hundred queues, counted from reports alone: while there is room, nobody beyond a guarantee
// is served before somebody under one, and what queues use is what is used below them.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace bayplan::testing {
namespace {

constexpr int kTops = 10;
constexpr int kLeaves = 9;             // of each
constexpr std::int64_t kCore = 1'000;  // asked for by each pod

class FairShares {
public:
    explicit FairShares(std::uint32_t seed) : random_(seed) {
        reload();
        for (int leaf = 0; leaf < kTops * kLeaves; ++leaf) {
            const ApplicationItem item{.application = shim_.id("app" + std::to_string(leaf)),
                                       .queue = shim_.id(path_of(leaf)),
                                       .user = shim_.id("user" + std::to_string(leaf % 7))};
            shim_.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
        }
        shim_.node("n", {{"cpu", 4'000 * kCore}, {"pods", 4'000}});
    }

    void play(int steps) {
        for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
            const int what = below(10);
            if (what < 6) {
                ask(below(kTops * kLeaves), 1 + below(5));
            } else if (what < 9) {
                release();
            } else {
                reload();
            }
            for (int attempts = below(12); attempts > 0; --attempts) attempt();
        }
        while (engine_.has_work() && !::testing::Test::HasFailure()) attempt();
        look();
        for (const auto& [path, report] : reports_)
            EXPECT_FALSE(report.leaf && has_demand(path)) << path << " is kept waiting";
    }

private:
    int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
    static std::string path_of(int leaf) {
        return "root.q" + std::to_string(leaf / kLeaves) + ".leaf" + std::to_string(leaf);
    }
    static std::string above(const std::string& path) { return path.substr(0, path.rfind('.')); }

    // Guarantees of leaves by chance, of their parents the sum; some have a maximum.
    void reload() {
        std::string text = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n";
        for (int top = 0; top < kTops; ++top) {
            std::string leaves;
            int sum = 0;
            for (int leaf = top * kLeaves; leaf < (top + 1) * kLeaves; ++leaf) {
                const int guaranteed = 1 + below(6);
                sum += guaranteed;
                leaves +=
                    "      - {name: leaf" + std::to_string(leaf) + resources(guaranteed, guaranteed + below(9)) + "}\n";
            }
            text += "    - name: q" + std::to_string(top) + "\n";
            text += "      resources: {guaranteed: {vcore: " + std::to_string(sum) + "}}\n      queues:\n" + leaves;
        }
        engine_.apply(QueuesText{.partition = "default", .text = text});
        ASSERT_EQ(engine_.queues_fault(), "");
    }
    std::string resources(int guaranteed, int most) {
        const std::string max = below(3) == 0 ? ", max: {vcore: " + std::to_string(most) + "}" : "";
        return ", resources: {guaranteed: {vcore: " + std::to_string(guaranteed) + "}" + max + "}";
    }

    void ask(int leaf, int count) {
        for (; count > 0; --count) {
            const std::string key = std::to_string(leaf) + "/" + std::to_string(made_++);
            shim_.ask(key, "app" + std::to_string(leaf), {{"cpu", kCore}, {"pods", 1}});
            there_.push_back(key);
        }
    }

    void release() {
        for (int count = below(6); count > 0 && !there_.empty(); --count) {
            const auto at = there_.begin() + below(static_cast<int>(there_.size()));
            shim_.release(*at);
            there_.erase(at);
        }
    }

    void look() {
        reports_.clear();
        for (const QueueReport& report : engine_.queues()) reports_[report.path] = report;
    }
    static std::int64_t cores(const QueueReport::Amounts& amounts, std::int64_t absent) {
        const auto found = amounts.find("vcore");
        return found == amounts.end() ? absent : found->second;
    }
    std::int64_t used(const std::string& path) const { return cores(reports_.at(path).used, 0); }
    std::int64_t guaranteed(const std::string& path) const { return cores(reports_.at(path).guaranteed, 0); }

    // A leaf whose asks have room in its queues; of a parent: any such below it.
    bool has_demand(const std::string& path) const {
        const QueueReport& report = reports_.at(path);
        if (cores(report.pending, 0) == 0 || used(path) + kCore > cores(report.max, INT64_MAX)) return false;
        if (report.leaf) return true;
        for (const auto& [child, ignored] : reports_) {
            if (child != "root" && above(child) == path && has_demand(child)) return true;
        }
        return false;
    }

    void check_sums() const {
        std::map<std::string, std::int64_t> below;
        for (const auto& [path, report] : reports_) {
            if (path != "root") below[above(path)] += used(path);
        }
        for (const auto& [path, sum] : below) EXPECT_EQ(sum, used(path)) << path;
    }

    void attempt() {
        const std::optional<Engine::AskName> next = engine_.next_ask();
        look();
        check_sums();
        if (next) check_order(path_of(std::stoi(next->key)));
        engine_.run(1);
    }

    // R-LAW-16, at every level of the path.
    void check_order(const std::string& leaf) const {
        for (std::string path = leaf; path != "root"; path = above(path)) {
            if (used(path) < guaranteed(path)) continue;
            for (const auto& [other, report] : reports_) {
                if (other != "root" && other != path && above(other) == above(path) &&
                    used(other) < guaranteed(other)) {
                    EXPECT_FALSE(has_demand(other)) << path << " is served before " << other;
                }
            }
        }
    }

    std::mt19937 random_;
    KeepingSink sink_;
    Engine engine_{options_with_queues(), sink_};
    TestShim shim_{engine_, "s"};
    std::map<std::string, QueueReport> reports_;
    std::vector<std::string> there_;
    int made_ = 0;
};

TEST(FairSharesLaw, nobody_beyond_a_guarantee_is_served_before_somebody_under_one) {
    for (std::uint32_t seed = 1; seed <= 8 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        FairShares(seed).play(120);
    }
}

}  // namespace
}  // namespace bayplan::testing
