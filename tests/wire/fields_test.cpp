// Every field of every record of nodes, asks, specs and objects survives a round trip: each is set
// to a value of its own that is not its default, so that a field forgotten or mistaken for another
// shows.
#include <deque>
#include <utility>

#include <gtest/gtest.h>

#include "describe.h"
#include "item_fields.h"
#include "wire/codec.h"

namespace bayplan::wire {
namespace {

// Sets all fields of a record that has its defaults. Owns what spans and texts point to.
class DistinctValues {
public:
    template <class Value>
    void set(Value& value) {
        if constexpr (HasFields<Value>) {
            std::apply([this](auto&... field) { (set(field), ...); }, fields(value));
        } else if constexpr (std::is_enum_v<Value>) {
            const auto last = static_cast<Value>(Range<Value>::last);
            value = value == last ? static_cast<Value>(Range<Value>::first) : last;
        } else if constexpr (std::is_same_v<Value, bool>) {
            value = !value;
        } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
            value = 10;
        } else {
            value = static_cast<Value>(++number_);
        }
    }
    template <class Value>
    void set(std::optional<Value>& value) {
        set(value.emplace());
    }
    template <class Entry>
    void set(std::vector<Entry>& list) {
        list.resize(2);
        for (Entry& entry : list) {
            set(entry);
        }
    }
    void set(std::string_view& text) { text = texts_.emplace_back("text-" + std::to_string(++number_)); }
    void set(std::span<const Amount>& span) { set_span(span, amounts_); }
    void set(std::span<const Attribute>& span) { set_span(span, attributes_); }
    void set(std::span<const Taint>& span) { set_span(span, taints_); }
    void set(std::span<const DictId>& span) { set_span(span, ids_); }

private:
    template <class Entry>
    void set_span(std::span<const Entry>& span, std::deque<std::vector<Entry>>& room) {
        set(room.emplace_back());
        span = room.back();
    }

    int number_ = 1000;
    std::deque<std::string> texts_;
    std::deque<std::vector<Amount>> amounts_;
    std::deque<std::vector<Attribute>> attributes_;
    std::deque<std::vector<DictId>> ids_;
    std::deque<std::vector<Taint>> taints_;
};

class ItemFields : public ::testing::Test {
protected:
    // The body as it comes back; read it before the next call.
    template <class Body>
    const Body& back(const Body& body) {
        std::string error;
        const Message message = StateFrame{1, body};
        EXPECT_TRUE(frame_.decode(encoder_.encode(message), Limits{}, error)) << error;
        EXPECT_EQ(describe(frame_.message()), describe(message));
        return std::get<Body>(std::get<StateFrame>(frame_.message()).body);
    }

    DistinctValues values_;

private:
    Encoder encoder_;
    DecodedFrame frame_;
};

TEST_F(ItemFields, of_a_spec_all_come_back) {
    SpecItem records[3];
    values_.set(records[1]);
    const auto& specs = back(SpecsMessage{records, {}});
    ASSERT_EQ(specs.define.size(), 3u);
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(specs.define[i] == records[i]) << i;
    }
    // In place of the former ones: nothing of those may be left.
    const SpecItem plain[3];
    const auto& again = back(SpecsMessage{plain, {}});
    EXPECT_TRUE(again.define[1] == plain[1]);
}

template <class Object>
ObjectItem plain_object() {
    return {Object(), false};
}

TEST_F(ItemFields, of_an_object_of_each_kind_all_come_back) {
    std::vector<ObjectItem> records;
    [&]<std::size_t... kind>(std::index_sequence<kind...>) {
        (records.push_back(plain_object<std::variant_alternative_t<kind, ClusterObject>>()), ...);
    }
    (std::make_index_sequence<std::variant_size_v<ClusterObject>>());
    const std::vector<ObjectItem> plain = records;
    for (ObjectItem& record : records) {
        std::visit([this](auto& object) { values_.set(object); }, record.object);
        record.removed = true;
    }
    for (const auto& list : {records, plain}) {
        const auto& objects = back(ObjectsMessage{list});
        ASSERT_EQ(objects.objects.size(), list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            EXPECT_TRUE(objects.objects[i] == list[i]) << "kind " << i;
        }
    }
}

// describe() prints every field of these, and back() compares.
TEST_F(ItemFields, of_nodes_and_asks_all_come_back) {
    NodeItem nodes[3];
    values_.set(nodes[1]);
    EXPECT_EQ(back(NodesMessage{nodes}).nodes[1].taints[1], nodes[1].taints[1]);
    AskItem asks[3];
    values_.set(asks[1]);
    EXPECT_EQ(back(AsksMessage{asks}).asks[1].own_memory, asks[1].own_memory);
}

TEST_F(ItemFields, that_are_given_and_empty_are_told_from_those_not_given) {
    SpecItem records[2];
    records[1].spec.required_nodes.emplace();
    records[1].spec.affinity.resize(2);
    records[1].spec.affinity[1].selector.emplace();
    records[1].spec.affinity[1].namespace_selector.emplace();
    const auto& specs = back(SpecsMessage{records, {}});
    EXPECT_FALSE(specs.define[0].spec.required_nodes);
    EXPECT_TRUE(specs.define[1].spec.required_nodes);
    EXPECT_FALSE(specs.define[1].spec.affinity[0].selector);
    EXPECT_TRUE(specs.define[1].spec.affinity[1].selector);

    CsiNode node;
    node.drivers = {{1, 2, std::nullopt}, {1, 2, 0}, {1, 2, -1}};
    const ObjectItem objects[] = {{node, false}};
    EXPECT_TRUE(back(ObjectsMessage{objects}).objects[0] == objects[0]);
}

TEST_F(ItemFields, effects_of_tolerations_may_be_any_and_those_of_taints_not) {
    SpecItem record;
    record.spec.tolerations = {{0, true, 0, TaintEffect::any}};
    const SpecItem records[] = {record};
    EXPECT_TRUE(back(SpecsMessage{records, {}}).define[0] == record);

    const Taint taints[] = {{1, 2, TaintEffect::no_execute}, {1, 2, TaintEffect::any}};
    NodeItem node;
    node.taints = taints;
    const NodeItem nodes[] = {node};
    Encoder encoder;
    DecodedFrame frame;
    std::string error;
    EXPECT_FALSE(frame.decode(encoder.encode(StateFrame{1, NodesMessage{nodes}}), Limits{}, error));
    EXPECT_EQ(error, "nodes[0].taints[1].effect is 0, which is not known");
}

// Sizes at the verifier's and the decoder's bounds for one spec are far above what people write.
TEST_F(ItemFields, a_spec_of_a_few_hundred_terms_is_taken) {
    DistinctValues values;
    SpecItem record;
    values.set(record);
    record.spec.affinity.resize(300);
    record.spec.preferred_anti_affinity.resize(300);
    record.spec.spread.resize(300);
    for (int i = 0; i < 300; ++i) {
        record.spec.affinity[i] = {};
        values.set(record.spec.affinity[i]);
        record.spec.preferred_anti_affinity[i] = {};
        values.set(record.spec.preferred_anti_affinity[i]);
        record.spec.spread[i] = {};
        values.set(record.spec.spread[i]);
    }
    const SpecItem records[] = {record};
    EXPECT_TRUE(back(SpecsMessage{records, {}}).define[0] == record);
}

}  // namespace
}  // namespace bayplan::wire
