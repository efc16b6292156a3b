// The pods that spread constraints count, and default constraints, by table.

#include <gtest/gtest.h>

#include "labels/spread_terms.h"
#include "tests/labels/text_world.h"

namespace bayplan::testing {
namespace {

using enum LabelOperator;

class SpreadTerms : public ::testing::Test {
protected:
    SpreadTerms() {
        spec.name_space = world.text("ns");
        labels = world.labels({{"app", "web"}, {"hash", "1"}, {"tier", "front"}});
        spec.labels = labels;
    }

    void add(std::string_view kind, std::string_view name, std::optional<LabelSelector> selector,
             std::string_view name_space = "ns") {
        table.apply({world.text(kind), world.text(name_space), world.text(name), std::move(selector)});
    }
    void own(std::string_view kind, std::string_view name) { spec.owner = {world.text(kind), world.text(name)}; }
    LabelSelector made() { return default_selector(spec, labels, table, world.known, world.texts); }

    TextWorld world;
    PodSetTable table;
    PodSpec spec;
    std::vector<Label> labels;
};

TEST_F(SpreadTerms, effective_selector) {
    SpreadConstraint constraint;
    EXPECT_EQ(effective_selector(constraint, labels), std::nullopt);
    constraint.match_label_keys = world.list({"hash"});
    EXPECT_EQ(effective_selector(constraint, labels), std::nullopt) << "absent stays absent";
    EXPECT_FALSE(counts_pods(effective_selector(constraint, labels)));

    constraint.match_label_keys = {};
    constraint.selector = world.equals({{"app", "web"}});
    EXPECT_EQ(effective_selector(constraint, labels), canonical(world.equals({{"app", "web"}})));
    EXPECT_TRUE(counts_pods(effective_selector(constraint, labels)));

    constraint.match_label_keys = world.list({"hash", "not-there"});
    EXPECT_EQ(effective_selector(constraint, labels), canonical(world.equals({{"app", "web"}, {"hash", "1"}})));
    constraint.match_label_keys = world.list({"app"});
    EXPECT_EQ(effective_selector(constraint, labels), canonical(world.equals({{"app", "web"}})));
}

TEST_F(SpreadTerms, an_empty_selector_counts_nobody_but_itself) {
    SpreadConstraint constraint;
    constraint.selector = LabelSelector{};
    const auto effective = effective_selector(constraint, labels);
    EXPECT_FALSE(counts_pods(effective));
    EXPECT_TRUE(matches(effective, labels, world.texts)) << "self is 1";
    constraint.match_label_keys = world.list({"hash"});
    EXPECT_TRUE(counts_pods(effective_selector(constraint, labels))) << "a merged key makes it a selector";
    constraint.match_label_keys = world.list({"not-there"});
    EXPECT_FALSE(counts_pods(effective_selector(constraint, labels)));
}

TEST_F(SpreadTerms, no_service_no_owner_no_constraints) {
    EXPECT_TRUE(made().requirements.empty());
    EXPECT_TRUE(default_constraints(spec, labels, table, world.known, world.texts).empty());
}

TEST_F(SpreadTerms, default_constraints) {
    add("Service", "s", world.equals({{"app", "web"}}));
    const auto constraints = default_constraints(spec, labels, table, world.known, world.texts);
    ASSERT_EQ(constraints.size(), 2u);
    EXPECT_EQ(constraints[0].topology_key, world.known.hostname);
    EXPECT_EQ(constraints[0].max_skew, 3);
    EXPECT_EQ(constraints[1].topology_key, world.known.zone);
    EXPECT_EQ(constraints[1].max_skew, 5);
    for (const SpreadConstraint& constraint : constraints) {
        EXPECT_FALSE(constraint.hard);
        EXPECT_EQ(constraint.selector, canonical(world.equals({{"app", "web"}})));
        EXPECT_TRUE(constraint.honor_node_affinity);
        EXPECT_FALSE(constraint.honor_node_taints);
    }
}

TEST_F(SpreadTerms, services_that_match_the_pod) {
    add("Service", "one", world.equals({{"app", "web"}}));
    add("Service", "two", world.equals({{"app", "web"}, {"tier", "front"}}));
    add("Service", "not-ours", world.equals({{"app", "db"}}));
    add("Service", "elsewhere", world.equals({{"hash", "1"}}), "other");
    add("Service", "selects-nothing", std::nullopt);
    add("Service", "selects-all", LabelSelector{});
    add("ReplicaSet", "no-service", world.equals({{"hash", "1"}}));
    EXPECT_EQ(made(), canonical(world.equals({{"app", "web"}, {"tier", "front"}})));
}

TEST_F(SpreadTerms, the_owners_selector_is_added) {
    add("Service", "s", world.equals({{"app", "web"}}));
    add("ReplicaSet", "web-1", LabelSelector{{world.requirement("hash", in, {"1", "2"})}});
    add("StatefulSet", "web-1", world.equals({{"tier", "front"}}));
    own("ReplicaSet", "web-1");
    EXPECT_EQ(made(), canonical({{world.requirement("app", in, {"web"}), world.requirement("hash", in, {"1", "2"})}}));
    own("StatefulSet", "web-1");
    EXPECT_EQ(made(), canonical(world.equals({{"app", "web"}, {"tier", "front"}})));
    own("ReplicaSet", "another");
    EXPECT_EQ(made(), canonical(world.equals({{"app", "web"}})));
    own("Job", "web-1");
    EXPECT_EQ(made(), canonical(world.equals({{"app", "web"}}))) << "a controller that counts for nothing";
}

TEST_F(SpreadTerms, owners_in_unusual_states) {
    add("ReplicaSet", "absent-selector", std::nullopt);
    own("ReplicaSet", "absent-selector");
    EXPECT_TRUE(made().requirements.empty());
    add("Job", "j", world.equals({{"app", "web"}}));
    own("Job", "j");
    EXPECT_TRUE(made().requirements.empty());
    add("ReplicaSet", "r", world.equals({{"app", "web"}}), "other");
    own("ReplicaSet", "r");
    EXPECT_TRUE(made().requirements.empty()) << "of another namespace";
}

TEST_F(SpreadTerms, a_replication_controllers_pairs_replace_those_of_services) {
    add("Service", "s", world.equals({{"app", "web"}, {"tier", "front"}}));
    add("ReplicationController", "rc", world.equals({{"app", "old"}, {"hash", "1"}}));
    own("ReplicationController", "rc");
    EXPECT_EQ(made(), canonical(world.equals({{"app", "old"}, {"hash", "1"}, {"tier", "front"}})));
}

TEST_F(SpreadTerms, table_gives_back_what_it_replaces) {
    add("Service", "s", world.equals({{"app", "web"}}));
    const auto before = table.apply({world.text("Service"), world.text("ns"), world.text("s"), std::nullopt});
    ASSERT_TRUE(before.has_value());
    EXPECT_EQ(before->selector, world.equals({{"app", "web"}}));
    EXPECT_TRUE(made().requirements.empty());
    EXPECT_FALSE(table.remove(world.text("ReplicaSet"), world.text("ns"), world.text("s")).has_value());
    EXPECT_TRUE(table.remove(world.text("Service"), world.text("ns"), world.text("s")).has_value());
    EXPECT_FALSE(table.remove(world.text("Service"), world.text("ns"), world.text("s")).has_value());
    EXPECT_EQ(table.find(world.text("Service"), world.text("ns"), world.text("s")), nullptr);
}

}  // namespace
}  // namespace bayplan::testing
