// The real pipeline over a pending order, against a literal simulation that takes nothing ahead: before each attempt it
// looks at everything that waits and picks who is next by the charges of that moment. Elements of one to four asks; asks
// that come, fail, come back, are withdrawn while they are selected, end, and get nodes by force; credit that comes and
// goes. With shares the order changes by charging: a pipeline that keeps a batch too long tries the wrong element.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "apps/ask_state.h"
#include "engine/world.h"
#include "placement/pipeline.h"
#include "predicates/registry.h"
#include "queues/leaf_order.h"
#include "scoring/registry.h"
#include "share_order.h"

namespace bayplan {
namespace {

using testing::amount_of;
using testing::ShareOrder;
using testing::weight_of;

constexpr std::uint32_t kApplicationsOfPipeline = 5;
constexpr std::uint32_t kShimsOfPipeline = 2;

// An element as the simulation has it.
struct Whole {
    std::vector<AskId> asks;
    std::uint32_t application = 0;
    std::tuple<std::int64_t, std::uint64_t> rank;  // smaller goes first
};

class PipelineOrder : public ::testing::TestWithParam<std::tuple<bool, BatchPath, std::uint32_t, std::uint32_t>> {
protected:
    PipelineOrder() {
        for (std::uint32_t id = 0; id < kApplicationsOfPipeline; ++id) {
            order_->add_application(static_cast<ApplicationId>(id), static_cast<ShimId>(id % kShimsOfPipeline));
        }
        for (std::int64_t cpu = 1; cpu <= 7; ++cpu) {
            AskClass spec;
            spec.requests = {{kCpu, cpu}};
            classes_.push_back(world_.classes.acquire(std::move(spec)));
        }
        const std::vector<ResourceAmount> capacity = {{kCpu, 1'000'000}};
        world_.nodes.add("node", static_cast<ShimId>(0), capacity, {}, true);
    }

    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

    // --- the simulation
    const Whole* next_by_hand() const;
    std::int64_t charged(std::uint32_t application) const {
        std::int64_t sum = 0;
        for (const AskId id : charged_) {
            sum += raw(world_.asks[id].application) == application ? amount_of(world_.asks[id]) : 0;
        }
        return sum;
    }

    // --- what happens, on both sides
    void come();
    void come_back();
    void withdraw_one();
    void end_one();
    void force_one();
    void turn_credit();
    void attempt();
    void expect_same_counts();

    static EngineOptions options_of(const ParamType& param) {
        EngineOptions options;
        options.path = std::get<1>(param);
        options.batch = std::get<2>(param);
        options.depth = std::get<3>(param);
        return options;
    }
    std::unique_ptr<PendingOrder> order_of(bool shares) {
        if (shares) {
            return std::make_unique<ShareOrder>(world_.asks);
        }
        return std::make_unique<LeafOrder>(world_.asks);
    }

    const bool shares_ = std::get<0>(GetParam());
    const EngineOptions options_ = options_of(GetParam());
    World world_{options_, 2, kAllCounts};
    const std::unique_ptr<PendingOrder> order_ = order_of(shares_);
    BlockEvaluator evaluator_{make_predicates({}), make_scores(options_), options_.score, lane_kernels(options_.simd)};
    ClusterSearch search_{evaluator_.predicates(), make_cluster_scores(options_), evaluator_.kernels()};
    Pipeline pipeline_{options_,
                       {world_.asks, world_.classes, world_.caches, *order_, world_.node_state, world_.view},
                       evaluator_,
                       search_,
                       make_inline_executor()};
    std::vector<ClassId> classes_;

    std::mt19937_64 random_{23};
    std::uint64_t sequence_ = 0;
    std::vector<Whole> waiting_;  // pending or selected
    std::vector<Whole> outside_;
    std::set<AskId> charged_;  // that have a node
    std::set<std::uint32_t> without_credit_;
    std::uint64_t attempts_ = 0;
};

const Whole* PipelineOrder::next_by_hand() const {
    std::map<std::uint32_t, std::int64_t> sums;
    for (std::uint32_t id = 0; id < kApplicationsOfPipeline; ++id) {
        sums[id] = charged(id);
    }
    const Whole* best = nullptr;
    for (const Whole& one : waiting_) {
        if (without_credit_.contains(one.application % kShimsOfPipeline)) {
            continue;
        }
        if (best == nullptr) {
            best = &one;
        } else if (!shares_ || one.application == best->application) {
            best = one.rank < best->rank ? &one : best;
        } else {
            const std::int64_t mine = sums[one.application] * weight_of(static_cast<ApplicationId>(best->application));
            const std::int64_t its = sums[best->application] * weight_of(static_cast<ApplicationId>(one.application));
            best = mine < its || (mine == its && one.application < best->application) ? &one : best;
        }
    }
    return best;
}

void PipelineOrder::come() {
    Whole one;
    one.application = static_cast<std::uint32_t>(below(kApplicationsOfPipeline));
    const auto priority = static_cast<std::int32_t>(below(3));
    const std::uint64_t group = sequence_ + 1;
    one.rank = {-priority, group};
    for (std::uint64_t left = below(3) == 0 ? 2 + below(3) : 1; left > 0; --left) {
        const AskId id = world_.asks.add("ask", ++sequence_);
        Ask& ask = world_.asks[id];
        ask.application = static_cast<ApplicationId>(one.application);
        ask.shim = static_cast<ShimId>(one.application % kShimsOfPipeline);
        ask.ask_class = classes_[sequence_ % classes_.size()];
        change_state(ask, AskEvent::enter);
        PendingKey& key = world_.asks.waiting(id).key;
        key.priority = priority;
        key.group_number = group;
        key.sequence = sequence_;
        one.asks.push_back(id);
    }
    order_->insert(one.asks);
    waiting_.push_back(std::move(one));
}

void PipelineOrder::come_back() {
    if (outside_.empty()) {
        return;
    }
    const auto at = outside_.begin() + static_cast<std::ptrdiff_t>(below(outside_.size()));
    for (const AskId id : at->asks) {
        change_state(world_.asks[id], AskEvent::wake);
    }
    order_->insert(at->asks);
    waiting_.push_back(std::move(*at));
    outside_.erase(at);
}

// A member goes for good, wherever its element waits.
void PipelineOrder::withdraw_one() {
    if (waiting_.empty()) {
        return;
    }
    const auto at = waiting_.begin() + static_cast<std::ptrdiff_t>(below(waiting_.size()));
    const auto member = at->asks.begin() + static_cast<std::ptrdiff_t>(below(at->asks.size()));
    Ask& ask = world_.asks[*member];
    if (ask.state == AskState::pending) {
        order_->remove(*member);
    } else {
        pipeline_.forget_selected(*member);
    }
    change_state(ask, AskEvent::gate);
    at->asks.erase(member);
    if (at->asks.empty()) {
        waiting_.erase(at);
    }
}

void PipelineOrder::end_one() {
    if (!charged_.empty()) {
        const auto at = std::next(charged_.begin(), static_cast<std::ptrdiff_t>(below(charged_.size())));
        order_->refund(*at);
        charged_.erase(at);
    }
}

// All asks of an element that is not tried now get a node without an attempt.
void PipelineOrder::force_one() {
    if (!outside_.empty()) {
        order_->charge(outside_.back().asks);
        charged_.insert(outside_.back().asks.begin(), outside_.back().asks.end());
        outside_.pop_back();
    }
}

void PipelineOrder::turn_credit() {
    const auto shim = static_cast<std::uint32_t>(below(kShimsOfPipeline));
    const bool credit = !without_credit_.erase(shim);
    if (credit) {
        without_credit_.insert(shim);
    }
    order_->set_credit(static_cast<ShimId>(shim), !credit);
}

void PipelineOrder::attempt() {
    const Whole* const expected = next_by_hand();
    const Element element = pipeline_.next();
    const std::vector<AskId> tried(element.begin(), element.end());
    ASSERT_EQ(tried, expected == nullptr ? std::vector<AskId>{} : expected->asks) << "attempt " << attempts_;
    if (expected == nullptr) {
        return;
    }
    ++attempts_;
    const bool placed = below(5) != 0;
    for (const AskId id : tried) {
        change_state(world_.asks[id], placed ? AskEvent::place : AskEvent::fail);
    }
    if (placed) {
        charged_.insert(tried.begin(), tried.end());
    } else {
        order_->refund(tried);
        outside_.push_back(*expected);
    }
    waiting_.erase(waiting_.begin() + (expected - waiting_.data()));
}

void PipelineOrder::expect_same_counts() {
    std::size_t asks = 0;
    bool any = false;
    for (const Whole& one : waiting_) {
        asks += one.asks.size();
        any = any || !without_credit_.contains(one.application % kShimsOfPipeline);
    }
    ASSERT_EQ(order_->size() + pipeline_.selected(), asks);
    ASSERT_EQ(order_->charged(), charged_.size() + pipeline_.selected());
    ASSERT_EQ(pipeline_.any_selected() || order_->peek() != kNone<AskId>, any);
}

TEST_P(PipelineOrder, tries_whom_a_literal_simulation_would_try) {
    for (int step = 0; step < 6'000 && !HasFatalFailure(); ++step) {
        switch (below(16)) {
            case 0:
            case 1:
            case 2:
            case 3: come(); break;
            case 4: come_back(); break;
            case 5: withdraw_one(); break;
            case 6: end_one(); break;
            case 7: below(2) == 0 ? force_one() : turn_credit(); break;
            default: attempt();
        }
        expect_same_counts();
    }
    const PipelineCounters& counters = pipeline_.counters();
    const std::uint64_t batches = counters.batches_inline + counters.batches_graph;
    EXPECT_GT(attempts_, 1'000u);
    if (options_.batch > 1) {
        EXPECT_GT(counters.batches_cut, 50u);
        EXPECT_LT(counters.batches_cut, batches) << "no batch was ever tried to its end";
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, PipelineOrder,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(BatchPath::inline_, BatchPath::graph),
                                            ::testing::Values(1, 3, 16), ::testing::Values(1, 2)),
                         [](const auto& param) {
                             return std::string(std::get<0>(param.param) ? "share" : "leaf") +
                                    (std::get<1>(param.param) == BatchPath::graph ? "_graph" : "_inline") + "_batch" +
                                    std::to_string(std::get<2>(param.param)) + "_depth" +
                                    std::to_string(std::get<3>(param.param));
                         });

}  // namespace
}  // namespace bayplan
