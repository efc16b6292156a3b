// A node that is used beyond its capacity, and pods whose budget allows no disruption: one victim of several may suffice.
#include <gtest/gtest.h>

#include "small_session.h"

namespace bayplan::property {
namespace {

constexpr DictId kAmount = 1, kJob = 2, kSpaceName = 3, kLabel = 4, kBudgetName = 5, kFullNode = 6, kOtherNode = 7;
constexpr SpecNumber kCovered = 1;

oracle::OwnedAsk running(const std::string& key, DictId node, std::int32_t priority, std::int64_t cpu, QosClass qos,
                         bool covered = true) {
    return {.key = key,
            .application = kJob,
            .node = node,
            .priority = priority,
            .requests = {{kAmount, cpu}},
            .spec = covered ? kCovered : SpecNumber{0},
            .qos = qos};
}

TEST(Overcommitted, of_pods_that_violate_budgets_one_that_suffices_goes_alone) {
    PodSpec covered;
    covered.name_space = kSpaceName;
    covered.labels = {{kLabel, kLabel}};
    PodBudget budget;
    budget.name_space = kSpaceName;
    budget.name = kBudgetName;
    budget.selector = LabelSelector{{{kLabel, LabelOperator::exists, {}}}};
    SmallSession session({});
    session.begin({{kAmount, "cpu"},
                   {kJob, "job"},
                   {kSpaceName, "ns"},
                   {kLabel, "app"},
                   {kBudgetName, "budget"},
                   {kFullNode, "full"},
                   {kOtherNode, "other"}},
                  kJob,
                  {oracle::OwnedSpecs{{{kCovered, covered}}, {}},
                   oracle::OwnedNodes{{{kFullNode, NodeAction::create, {{kAmount, 10}}},
                                       {kOtherNode, NodeAction::create, {{kAmount, 12}}}}},
                   oracle::OwnedAsks{{running("small", kFullNode, 0, 2, QosClass::best_effort),
                                      running("more-important", kOtherNode, 1, 7, QosClass::best_effort),
                                      running("above", kFullNode, 5, 1, QosClass::guaranteed, false),
                                      running("large", kFullNode, 0, 8, QosClass::guaranteed),
                                      running("least", kFullNode, 0, 2, QosClass::unknown),
                                      running("far-above", kOtherNode, 100, 4, QosClass::best_effort)}}});
    session.send(oracle::OwnedObjects{{{budget, false}}});
    session.send(
        oracle::OwnedAsks{{{.key = "preemptor", .application = kJob, .priority = 2, .requests = {{kAmount, 2}}}}});
    session.step(RunEvent{100});
    EXPECT_NE(session.last_line().find("nominate s/preemptor full s/large"), std::string::npos) << session.last_line();
}

}  // namespace
}  // namespace bayplan::property
