// Predicates by table: the verdict and reasons of each, and that filter() and explain() agree lane by lane.

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <string>

#include "cluster/resources.h"
#include "predicates/registry.h"

namespace bayplan {
namespace {

class Predicates : public ::testing::Test {
protected:
    // One node in lane 0 of a block with this cpu capacity, use, foreign use.
    NodeBlock block(std::int64_t capacity, std::int64_t used = 0, std::int64_t foreign = 0) {
        NodeBlock made;
        made.present = 1;
        made.schedulable = 1;
        made.names[0] = static_cast<NameId>(7);
        made.resources.resize(1);
        made.resources[0] = std::make_unique<ResourceColumns>();
        made.resources[0]->capacity[0] = capacity;
        made.resources[0]->used[0] = used;
        made.resources[0]->foreign[0] = foreign;
        return made;
    }

    PredicateSet::Failure explain_lane(const AskClass& ask_class, const NodeBlock& block, std::uint32_t lane) {
        const Subject subject{cluster_, ask_class, specs_[kEmptySpec], topology_.plan(kEmptySpec)};
        return set_->explain(subject, {block, slot_at(0, lane), facts_});
    }

    // explain_block() says of all nodes together what explain() says of each.
    void expect_sums(const AskClass& ask_class, const NodeBlock& block) {
        LaneRefusals one_by_one;
        std::map<std::string, std::uint64_t> reasons;
        std::uint32_t failed = 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t bit = block.present & std::uint64_t{1} << lane;
            const PredicateSet::Failure failure =
                bit == 0 ? PredicateSet::Failure{} : explain_lane(ask_class, block, lane);
            if (failure.refusal.verdict != Verdict::feasible) {
                (failure.refusal.verdict == Verdict::unschedulable ? one_by_one.unschedulable
                                                                   : one_by_one.unresolvable) |= bit;
                failed |= 1u << failure.predicate;
            }
            for (const std::string& reason : failure.refusal.reasons) {
                ++reasons[reason];
            }
        }
        const Subject subject{cluster_, ask_class, specs_[kEmptySpec], topology_.plan(kEmptySpec)};
        ReasonCounts counts;
        std::uint32_t first_to_refuse = 0;
        const LaneRefusals refusals =
            set_->explain_block(subject, set_->asked(subject), block, 0, first_to_refuse, counts);
        EXPECT_EQ(refusals.unschedulable, one_by_one.unschedulable);
        EXPECT_EQ(refusals.unresolvable, one_by_one.unresolvable);
        EXPECT_EQ(first_to_refuse, failed);
        std::map<std::string, std::uint64_t> counted;
        for (const ReasonCount& count : counts) {
            EXPECT_TRUE(counted.emplace(count.reason, count.nodes).second) << count.reason << " is counted apart";
        }
        EXPECT_EQ(counted, reasons);
    }

    PredicateSet::Failure explain(const AskClass& ask_class, const NodeBlock& block) {
        expect_sums(ask_class, block);
        auto failure = explain_lane(ask_class, block, 0);
        EXPECT_EQ(set_->filter(ask_class, block, block.present) & 1,
                  failure.refusal.verdict == Verdict::feasible ? 1u : 0u)
            << "filter() and explain() disagree";
        return failure;
    }

    static AskClass asking(std::int64_t cpu) {
        AskClass ask_class;
        ask_class.requests = {{kCpu, cpu}};
        return ask_class;
    }

    ResourceTable kinds_;
    std::unique_ptr<PredicateSet> set_ = make_predicates({});
    // A world without nodes and pods: these tests look at blocks of their own.
    NameTable<NameId> names_;
    NodeState state_{1, 1};
    NodeTable nodes_{state_, kinds_, names_};
    TextTable texts_;
    KnownTexts known_{texts_};
    AskTable asks_;
    SpecTable specs_{texts_};
    ClassTable classes_{kinds_, names_, specs_};
    ClusterFacts topology_{{texts_, known_, asks_, specs_, classes_, nodes_}, {}};
    Devices devices_{state_, kinds_, DeviceChoice::fullest};
    const ClusterView cluster_{asks_, classes_, specs_, nodes_, state_, topology_, kinds_, devices_};
    const NodeFacts facts_{};
};

// Refuses every pod, or none.
class Refusing final : public Predicate {
public:
    explicit Refusing(bool refuses) : refuses_(refuses) {}
    Refusal refuse_all(const Subject&) const override {
        return refuses_ ? Refusal{Verdict::unresolvable, {"said so"}} : Refusal{};
    }
    Refusal explain(const Subject&, const NodeView&) const override { return {}; }

private:
    bool refuses_;
};

TEST_F(Predicates, of_refusals_of_the_whole_pod_the_first_counts) {
    const struct {
        std::vector<bool> refuse;
        Verdict verdict;
        std::uint32_t predicate;
    } cases[] = {
        {{false, false}, Verdict::feasible, 0},
        {{false, true, true}, Verdict::unresolvable, 1},
        {{true, false, true}, Verdict::unresolvable, 0},
    };
    const AskClass ask_class = asking(1);
    const Subject subject{cluster_, ask_class, specs_[kEmptySpec], topology_.plan(kEmptySpec)};
    for (const auto& one : cases) {
        std::vector<PredicateInForce> predicates;
        for (const bool refuses : one.refuse) {
            predicates.push_back({{}, std::make_unique<Refusing>(refuses)});
        }
        const auto failure = PredicateSet(std::move(predicates)).refuse_all(subject);
        EXPECT_EQ(failure.refusal.verdict, one.verdict) << "case " << &one - cases;
        EXPECT_EQ(failure.predicate, one.predicate) << "case " << &one - cases;
    }
}

TEST_F(Predicates, are_those_that_settings_may_name_in_that_order) {
    std::vector<std::string_view> names;
    for (std::uint32_t index = 0; index < set_->predicates().size(); ++index) {
        names.push_back(set_->name(index));
    }
    EXPECT_EQ(names, std::vector<std::string_view>(kPredicateNames.begin(), kPredicateNames.end()));
    const auto listed = make_predicates({"NodePorts", "NodeName"});
    ASSERT_EQ(listed->predicates().size(), 2u);
    EXPECT_EQ(listed->name(0), "NodeName") << "the order is never that of the list";
    EXPECT_EQ(unknown_predicate({"NodePorts", "NodeName"}), "");
    EXPECT_EQ(unknown_predicate({"NodePorts", "nodeName", "Node"}), "nodeName");
}

TEST_F(Predicates, fit_is_exact_at_the_boundary) {
    EXPECT_EQ(explain(asking(40), block(100, 50, 10)).refusal.verdict, Verdict::feasible);
    const auto failure = explain(asking(41), block(100, 50, 10));
    EXPECT_EQ(failure.refusal.verdict, Verdict::unschedulable);
    EXPECT_EQ(failure.refusal.reasons, std::vector<std::string>{"Insufficient cpu"});
}

TEST_F(Predicates, an_amount_above_the_capacity_is_unresolvable) {
    EXPECT_EQ(explain(asking(100), block(100)).refusal.verdict, Verdict::feasible);
    EXPECT_EQ(explain(asking(101), block(100)).refusal.verdict, Verdict::unresolvable);
}

TEST_F(Predicates, a_kind_that_the_node_lacks_is_zero) {
    AskClass ask_class;
    ask_class.requests = {{kinds_.acquire("example.com/gpu"), 1}};
    const auto failure = explain(ask_class, block(100));
    EXPECT_EQ(failure.refusal.reasons, std::vector<std::string>{"Insufficient example.com/gpu"});
    EXPECT_EQ(failure.refusal.verdict, Verdict::unresolvable);
}

TEST_F(Predicates, a_lack_of_pod_slots_has_its_own_words_and_is_never_unresolvable) {
    AskClass ask_class;
    ask_class.requests = {{kinds_.acquire("pods"), 1}};
    const auto failure = explain(ask_class, block(100));
    EXPECT_EQ(failure.refusal.reasons, std::vector<std::string>{"Too many pods"});
    EXPECT_EQ(failure.refusal.verdict, Verdict::unschedulable);
}

TEST_F(Predicates, every_short_kind_is_a_reason) {
    AskClass ask_class;
    ask_class.requests = {{kCpu, 200}, {kMemory, 1}};
    EXPECT_EQ(explain(ask_class, block(100)).refusal.reasons,
              (std::vector<std::string>{"Insufficient cpu", "Insufficient memory"}));
}

TEST_F(Predicates, an_ask_for_nothing_fits_an_overcommitted_node) {
    EXPECT_EQ(explain(AskClass{}, block(100, 500)).refusal.verdict, Verdict::feasible);
}

TEST_F(Predicates, holds_count_against_lower_priorities_only) {
    NodeBlock held = block(100);
    held.holding = 1;
    held.holds.emplace_back(0, std::make_shared<HoldList>(HoldList{{10, kCpu, 60}}));
    held.hold_floor = 10;
    held.resources[raw(kCpu)]->held[0] = 60;
    AskClass low = asking(41);
    low.priority = 9;
    AskClass equal = asking(41);
    equal.priority = 10;
    EXPECT_EQ(explain(low, held).refusal.verdict, Verdict::unschedulable);
    EXPECT_EQ(explain(equal, held).refusal.verdict, Verdict::feasible);
}

TEST_F(Predicates, a_drained_node_refuses_all_but_those_that_tolerate_it) {
    NodeBlock drained = block(100);
    drained.schedulable = 0;
    const auto failure = explain(asking(1), drained);
    EXPECT_EQ(failure.refusal.verdict, Verdict::unresolvable);
    EXPECT_EQ(failure.refusal.reasons, std::vector<std::string>{"node(s) were unschedulable"});
    AskClass tolerant = asking(1);
    tolerant.tolerates_unschedulable = true;
    EXPECT_EQ(explain(tolerant, drained).refusal.verdict, Verdict::feasible);
}

TEST_F(Predicates, a_required_node_is_that_node_or_none) {
    AskClass here = asking(1);
    here.required_node = static_cast<NameId>(7);
    AskClass elsewhere = asking(1);
    elsewhere.required_node = static_cast<NameId>(8);
    EXPECT_EQ(explain(here, block(100)).refusal.verdict, Verdict::feasible);
    const auto failure = explain(elsewhere, block(100));
    EXPECT_EQ(failure.refusal.verdict, Verdict::unresolvable);
    EXPECT_EQ(failure.refusal.reasons, std::vector<std::string>{"node(s) didn't match the requested node name"});
}

TEST_F(Predicates, the_first_in_kubernetes_order_is_the_one_reported) {
    NodeBlock drained = block(0);
    drained.schedulable = 0;
    AskClass ask_class = asking(1);
    ask_class.required_node = static_cast<NameId>(8);
    EXPECT_EQ(explain(ask_class, drained).refusal.reasons, std::vector<std::string>{"node(s) were unschedulable"});
    drained.schedulable = 1;
    EXPECT_EQ(explain(ask_class, drained).refusal.reasons,
              std::vector<std::string>{"node(s) didn't match the requested node name"});
}

TEST_F(Predicates, filter_and_explain_agree_on_random_blocks) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 2'000; ++round) {
        NodeBlock made = block(0);
        made.present = random();
        made.schedulable = random();
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            made.resources[0]->capacity[lane] = static_cast<std::int64_t>(random() % 10);
            made.resources[0]->used[lane] = static_cast<std::int64_t>(random() % 5);
            made.names[lane] = static_cast<NameId>(random() % 3);
        }
        AskClass ask_class = asking(static_cast<std::int64_t>(random() % 6) + 1);
        ask_class.tolerates_unschedulable = random() % 2 == 0;
        ask_class.required_node = random() % 2 == 0 ? static_cast<NameId>(random() % 3) : kNone<NameId>;
        if (round % 4 == 0) {
            ask_class.requests.push_back({kinds_.acquire("pods"), 1});
            made.holding = random() & random();
            for (std::uint64_t left = made.holding; left != 0; left &= left - 1) {
                made.holds.emplace_back(std::countr_zero(left),
                                        std::make_shared<HoldList>(HoldList{{1, kCpu, round % 5}}));
                made.resources[raw(kCpu)]->held[std::countr_zero(left)] = round % 5;
                made.hold_floor = 1;
            }
        }
        expect_sums(ask_class, made);
        const std::uint64_t pass = set_->filter(ask_class, made, made.present);
        EXPECT_EQ(pass & ~made.present, 0u);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            if (made.present >> lane & 1) {
                const bool feasible = explain_lane(ask_class, made, lane).refusal.verdict == Verdict::feasible;
                ASSERT_EQ(pass >> lane & 1, feasible ? 1u : 0u);
            }
        }
    }
}

}  // namespace
}  // namespace bayplan
