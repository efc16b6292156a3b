// A namespace's labels decide which pods a term means, from the next attempt on.
#include <gtest/gtest.h>

#include "harness.h"

namespace bayplan {
namespace {

using testing::KeepingSink;
using testing::TestShim;

class Namespaces : public ::testing::Test {
protected:
    static constexpr int kNodes = 4;
    enum Number : SpecNumber { kNeighbours = 1, kShy = 2 };

    // On each node a pod of the namespace `other`; shy pods keep away from pods of namespaces that have the label `tier`.
    Namespaces() {
        shim_.application("app");
        SpecItem specs[] = {{kNeighbours, {}}, {kShy, {}}};
        specs[0].spec.name_space = shim_.id("other");
        specs[0].spec.labels = {{shim_.id("app"), shim_.id("x")}};
        PodTerm term;
        term.topology_key = shim_.id("host");
        term.selector = LabelSelector{{{shim_.id("app"), LabelOperator::in, {shim_.id("x")}}}};
        term.namespace_selector = LabelSelector{{{shim_.id("tier"), LabelOperator::exists, {}}}};
        specs[1].spec.anti_affinity = {term};
        shim_.send(SpecsMessage{.define = specs, .forget = {}});
        for (int node = 0; node < kNodes; ++node) {
            const std::string name = "n" + std::to_string(node);
            const Attribute host{shim_.id("host"), shim_.id(name)};
            const Amount pods{shim_.id("pods"), 100};
            const NodeItem item{
                .node = shim_.id(name), .capacity = std::span(&pods, 1), .attributes = std::span(&host, 1)};
            shim_.send(NodesMessage{std::span(&item, 1)});
            pod("neighbour-" + name, kNeighbours, name);
        }
    }
    void pod(const std::string& key, SpecNumber spec, const std::string& node = {}) {
        AskItem item;
        item.key = key;
        item.application = shim_.id("app");
        item.spec = spec;
        item.node = node.empty() ? 0 : shim_.id(node);
        shim_.send(AsksMessage{std::span(&item, 1)});
    }
    // How many of two more shy pods find a node.
    std::uint64_t placed() {
        const std::uint64_t before = engine_.counters().allocations;
        for (int more = 0; more < 2; ++more) {
            pod("shy-" + std::to_string(++shy_), kShy);
        }
        engine_.run(100);
        return engine_.counters().allocations - before;
    }
    void label(bool has) {
        ObjectItem item{Namespace{shim_.id("other"), {}}};
        if (has) {
            std::get<Namespace>(item.object).labels = {{shim_.id("tier"), shim_.id("gold")}};
        }
        shim_.send(ObjectsMessage{std::span(&item, 1)});
    }

    KeepingSink sink_;
    Engine engine_{testing::options_inline(), sink_};
    TestShim shim_{engine_, "shim"};
    int shy_ = 0;
};

TEST_F(Namespaces, that_get_a_label_keep_pods_away_at_once) {
    EXPECT_EQ(placed(), 2u);
    label(true);
    EXPECT_EQ(placed(), 0u);
    label(false);
    EXPECT_EQ(placed(), 4u) << "and those that waited find a node, too";
}

}  // namespace
}  // namespace bayplan
