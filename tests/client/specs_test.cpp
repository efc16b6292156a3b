// Specs and objects through the client: with texts of the caller's own table, in the order that the
// daemon needs, and refused here where the daemon would call the frame broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/statement_limits.h"
#include "client_world.h"
#include "item_maker.h"
#include "wire/codec.h"

namespace bayplan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The caller's table: 1 = "one", 2 = "two"...
std::string_view number_text(Text text) {
    static const std::string_view kTexts[] = {"zero", "one", "two", "three", "four", "five"};
    return kTexts[text];
}

SpecItem spec_of(SpecNumber number) {
    SpecItem record;
    record.number = number;
    record.spec.name_space = 1;
    record.spec.labels = {{2, 0}};
    record.spec.affinity.resize(1);
    record.spec.affinity[0].topology_key = 3;
    record.spec.affinity[0].selector.emplace().requirements = {{2, LabelOperator::in, {4}}};
    return record;
}

TEST(ClientSpecs, are_stated_in_the_order_in_which_they_are_named_at_each_resync) {
    ClientWorld world;
    world.books.text_of = number_text;
    world.books.specs = {spec_of(7)};
    world.books.objects = {{Namespace{1, {{2, 4}}}, false}};
    PodStatement pod;
    pod.key = "p";
    pod.application = "app";
    pod.spec = 7;
    world.books.pods = {pod};
    const auto stated = ElementsAre(
        "1 begin", "2 define one two four three", "3 specs 7:one,two,-,two,four,three,-,-,-,-", "4 define n1 cpu n2",
        "5 nodes n1:1,cpu=4000 n2:1,cpu=4000", "6 objects +0:one,two,four", "7 define app root.default",
        "8 applications +app:root.default",
        "9 asks p:app:- spec=7 terminating=false never=false nominated=- started=0 scored=-1/-1/-1/-1", "10 end");
    ASSERT_TRUE(world.settle());
    EXPECT_THAT(world.daemon.state, stated);
    world.daemon.state.clear();
    world.daemon.hang_up();
    ASSERT_TRUE(world.settle());
    EXPECT_EQ(world.books.begun, 2);
    EXPECT_THAT(world.daemon.state, stated);
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(ClientSpecs, and_objects_come_and_go_while_it_is_connected) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.daemon.state.clear();
    const SpecItem specs[] = {spec_of(1), spec_of(2)};
    const SpecNumber forget[] = {3, 4};
    const ObjectItem objects[] = {{CsiDriver{5, true}, false}, {CsiDriver{4, true}, true}};
    ASSERT_EQ(world.client->specs(specs, number_text, forget), Submitted::yes);
    ASSERT_EQ(world.client->objects(objects, number_text), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == 5; }));
    const std::string one = "one,two,-,two,four,three,-,-,-,-";
    EXPECT_THAT(world.daemon.state, ElementsAre("7 define one two four three", "8 specs 1:" + one + " 2:" + one,
                                                "9 specs -3 -4", "10 define five", "11 objects +7:five -7:four"));
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

TEST(ClientSpecs, every_field_of_nodes_and_pods_is_passed_on) {
    ClientWorld world;
    ASSERT_TRUE(world.settle());
    world.daemon.state.clear();
    const NamedAttribute labels[] = {{"zone", "a"}};
    const NamedTaint taints[] = {{"key", "value", TaintEffect::no_execute}, {"key", "", {}}};
    const NamedAmount images[] = {{"nginx:1", 100}};
    NodeStatement node{"n1", NodeAction::update, {}, labels, {taints, 1}, images};
    ASSERT_EQ(world.client->nodes({&node, 1}), Submitted::yes);
    PodStatement pod;
    pod.key = "p";
    pod.application = "app";
    pod.spec = 1;
    pod.terminating = true;
    pod.never_preempts = true;
    pod.nominated_node = "n2";
    pod.started_ms = 2;
    pod.node_cpu = 3;
    pod.node_memory = 4;
    pod.own_cpu = 5;
    pod.own_memory = 6;
    ASSERT_EQ(world.client->pods({&pod, 1}), Submitted::yes);
    ASSERT_TRUE(world.until([&] { return world.daemon.state.size() == 3; }));
    EXPECT_THAT(world.daemon.state,
                ElementsAre("7 define zone a key value nginx:1", "8 nodes n1:2,zone:a,!key:value:3,@nginx:1=100",
                            "9 asks p:app:- spec=1 terminating=true never=true nominated=n2 "
                            "started=2 scored=3/4/5/6"));
    node.taints = taints;
    std::string why;
    EXPECT_EQ(world.client->nodes({&node, 1}, Wait::no, &why), Submitted::invalid);
    EXPECT_EQ(why, "n1: a taint without an effect");
    EXPECT_THAT(world.daemon.faults, IsEmpty());
}

std::string fault_of(const SpecItem& record, const TextOf& text_of = number_text) {
    std::string why;
    return client::within_limits(std::span(&record, 1), text_of, &why) ? "" : why;
}

std::string fault_of(const ClusterObject& object) {
    const ObjectItem record{object, false};
    std::string why;
    return client::within_limits(std::span(&record, 1), number_text, &why) ? "" : why;
}

TEST(ClientSpecs, beyond_the_limits_of_the_protocol_are_refused_here) {
    constexpr wire::Limits limits;
    SpecItem record = spec_of(9);
    EXPECT_EQ(fault_of(record), "");
    const std::string longest(limits.string_bytes_max + 1, 'x');
    EXPECT_EQ(fault_of(record, [&](Text) { return std::string_view(longest); }),
              "spec 9: a text is longer than 4096 bytes");
    record.spec.labels.resize(limits.attributes_max + 1);
    EXPECT_EQ(fault_of(record), "spec 9: too many labels");
    record = spec_of(9);
    record.spec.spread.resize(1);
    record.spec.spread[0].match_label_keys.resize(limits.terms_max + 1);
    EXPECT_EQ(fault_of(record), "spec 9: a list is too long");
    record = spec_of(9);
    record.spec.affinity[0].selector->requirements[0].op = LabelOperator{7};
    EXPECT_EQ(fault_of(record), "spec 9: an enumerator is not known");
    record = spec_of(9);
    record.spec.affinity.resize(40);
    for (PodTerm& term : record.spec.affinity) {
        term.namespaces.resize(limits.terms_max);
    }
    EXPECT_EQ(fault_of(record), "spec 9: takes more than 524288 bytes");

    EXPECT_EQ(fault_of(Volume()), "");
    Volume volume;
    volume.access_modes = 16;
    EXPECT_EQ(fault_of(volume), "object 0: an access mode is not known");
    CsiNode node;
    node.drivers.resize(limits.terms_max + 1);
    EXPECT_EQ(fault_of(node), "object 0: a list is too long");
}

// A batch is cut into frames by what its items are thought to take.
TEST(ClientSpecs, take_no_more_bytes_than_they_are_thought_to) {
    wire::Encoder encoder;
    const std::size_t empty = encoder.encode(wire::StateFrame{1, SpecsMessage{}}).size();
    wire::ItemMaker maker(1, {.items_max = 1, .attributes_max = 20, .terms_max = 3});
    for (int round = 0; round < 500; ++round) {
        const auto extent = round % 2 == 0 ? wire::Extent::small : wire::Extent::maximal;
        const StateBody specs = maker.state_body(wire::ItemMaker::kSpecs, extent);
        for (const SpecItem& record : std::get<SpecsMessage>(specs).define) {
            const SpecsMessage one{{&record, 1}, {}};
            EXPECT_LE(encoder.encode(wire::StateFrame{1, one}).size(), empty + client::frame_bytes(record));
        }
        const StateBody objects = maker.state_body(wire::ItemMaker::kObjects, extent);
        for (const ObjectItem& record : std::get<ObjectsMessage>(objects).objects) {
            const ObjectsMessage one{{&record, 1}};
            EXPECT_LE(encoder.encode(wire::StateFrame{1, one}).size(), empty + client::frame_bytes(record));
        }
    }
}

}  // namespace
}  // namespace bayplan::testing
