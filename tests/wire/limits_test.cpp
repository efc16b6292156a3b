// Every limit: accepted at the limit, refused one past it, with a text that names the item.
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/codec.h"
#include "with.h"

namespace bayplan::wire {
namespace {

constexpr Limits kLimits;
constexpr std::size_t kItems = kLimits.items_max;
constexpr std::size_t kBytes = kLimits.string_bytes_max;

std::string fault_of(const Message& message) {
    Encoder encoder;
    DecodedFrame frame;
    std::string error;
    return frame.decode(encoder.encode(message), kLimits, error) ? "" : error;
}

StateFrame state(StateBody body) { return {1, body}; }

struct Case {
    std::string item;  // as the error names it
    std::string unit;  // entries or bytes
    std::size_t most;
    std::function<Message(std::size_t size)> make;  // keeps what the message points to alive
};

// Storage for the message being made; each case runs alone.
struct Room {
    std::string text;
    std::vector<Amount> amounts;
    std::vector<Attribute> attributes;
    std::vector<DictId> ids;
    std::vector<DictEntry> entries;
    std::vector<NodeItem> nodes;
    std::vector<ApplicationItem> applications;
    std::vector<AskItem> asks;
    std::vector<ReleaseItem> releases;
    std::vector<NackItem> nacks;
    std::vector<Taint> taints;
    std::vector<SpecItem> specs;
    std::vector<ObjectItem> objects;
    std::vector<Decision> decisions;
} room;

std::string_view text_of(std::size_t size) { return room.text = std::string(size, 'k'); }
std::span<const Amount> amounts_of(std::size_t size) { return room.amounts = std::vector<Amount>(size); }
std::span<const Attribute> attributes_of(std::size_t size) { return room.attributes = std::vector<Attribute>(size); }

std::span<const Taint> taints_of(std::size_t size) { return room.taints = std::vector<Taint>(size); }

// A list of three whose last item is `record`.
template <class Record>
std::span<const Record> third(std::vector<Record>& list, const Record& record) {
    list.assign(3, Record{});
    list[2] = record;
    return list;
}

std::vector<Case> list_cases() {
    return {
        {"entries", "entries", kItems,
         [](std::size_t n) { return state(DefineMessage{room.entries = std::vector<DictEntry>(n)}); }},
        {"ids", "entries", kItems,
         [](std::size_t n) { return state(ForgetMessage{room.ids = std::vector<DictId>(n)}); }},
        {"nodes", "entries", kItems,
         [](std::size_t n) { return state(NodesMessage{room.nodes = std::vector<NodeItem>(n)}); }},
        {"add", "entries", kItems,
         [](std::size_t n) {
             return state(ApplicationsMessage{room.applications = std::vector<ApplicationItem>(n), {}});
         }},
        {"remove", "entries", kItems,
         [](std::size_t n) {
             return state(ApplicationsMessage{{}, room.ids = std::vector<DictId>(n)});
         }},
        {"asks", "entries", kItems,
         [](std::size_t n) { return state(AsksMessage{room.asks = std::vector<AskItem>(n)}); }},
        {"releases", "entries", kItems,
         [](std::size_t n) { return state(ReleasesMessage{room.releases = std::vector<ReleaseItem>(n)}); }},
        {"nacks", "entries", kItems,
         [](std::size_t n) { return state(NacksMessage{room.nacks = std::vector<NackItem>(n)}); }},
        {"decisions", "entries", kItems,
         [](std::size_t n) {
             return DecisionsFrame{1, 0, room.decisions = std::vector<Decision>(n)};
         }},
        {"specs", "entries", kItems,
         [](std::size_t n) {
             SpecItem record{1, {}};  // a spec that says little is small beside its size once read
             record.spec.labels = {{1, 2}};
             return state(SpecsMessage{room.specs = std::vector<SpecItem>(n, record), {}});
         }},
        {"forget", "entries", kItems,
         [](std::size_t n) {
             return state(SpecsMessage{{}, room.ids = std::vector<DictId>(n)});
         }},
        {"objects", "entries", kItems,
         [](std::size_t n) { return state(ObjectsMessage{room.objects = std::vector<ObjectItem>(n)}); }},
        {"nodes[2].capacity", "entries", kLimits.amounts_max,
         [](std::size_t n) {
             return state(NodesMessage{third(room.nodes, with(&NodeItem::capacity, amounts_of(n)))});
         }},
        {"nodes[2].attributes", "entries", kLimits.attributes_max,
         [](std::size_t n) {
             return state(NodesMessage{third(room.nodes, with(&NodeItem::attributes, attributes_of(n)))});
         }},
        {"nodes[2].taints", "entries", kLimits.attributes_max,
         [](std::size_t n) { return state(NodesMessage{third(room.nodes, with(&NodeItem::taints, taints_of(n)))}); }},
        {"nodes[2].images", "entries", kLimits.terms_max,
         [](std::size_t n) { return state(NodesMessage{third(room.nodes, with(&NodeItem::images, amounts_of(n)))}); }},
        {"nodes[2].devices", "entries", kLimits.amounts_max,
         [](std::size_t n) {
             room.ids = std::vector<DictId>(n);
             return state(NodesMessage{third(room.nodes, with(&NodeItem::devices, std::span<const DictId>(room.ids)))});
         }},
        {"asks[2].requests", "entries", kLimits.amounts_max,
         [](std::size_t n) { return state(AsksMessage{third(room.asks, with(&AskItem::requests, amounts_of(n)))}); }},
        {"asks[2].tags", "entries", kLimits.attributes_max,
         [](std::size_t n) { return state(AsksMessage{third(room.asks, with(&AskItem::tags, attributes_of(n)))}); }},
    };
}

// A spec whose one list has n entries, third of three.
template <class Entry>
Case spec_case(const char* name, std::uint32_t most, std::vector<Entry> PodSpec::*list) {
    return {std::string("specs[2].") + name, "entries", most, [list](std::size_t n) {
                SpecItem record;
                record.spec.*list = std::vector<Entry>(n);
                return state(SpecsMessage{third(room.specs, record), {}});
            }};
}

template <class Object, class Entry>
Case object_case(const char* name, std::uint32_t most, std::vector<Entry> Object::*list) {
    return {std::string("objects[2].") + name, "entries", most, [list](std::size_t n) {
                Object object;
                object.*list = std::vector<Entry>(n);
                return state(ObjectsMessage{third(room.objects, ObjectItem{object, false})});
            }};
}

std::vector<Case> spec_and_object_cases() {
    constexpr std::uint32_t terms = kLimits.terms_max;
    constexpr std::uint32_t attributes = kLimits.attributes_max;
    return {
        spec_case("labels", attributes, &PodSpec::labels),
        spec_case("node_selector", attributes, &PodSpec::node_selector),
        spec_case("preferred_nodes", terms, &PodSpec::preferred_nodes),
        spec_case("tolerations", terms, &PodSpec::tolerations),
        spec_case("affinity", terms, &PodSpec::affinity),
        spec_case("anti_affinity", terms, &PodSpec::anti_affinity),
        spec_case("preferred_affinity", terms, &PodSpec::preferred_affinity),
        spec_case("preferred_anti_affinity", terms, &PodSpec::preferred_anti_affinity),
        spec_case("spread", terms, &PodSpec::spread),
        spec_case("ports", terms, &PodSpec::ports),
        spec_case("volumes", terms, &PodSpec::volumes),
        spec_case("images", terms, &PodSpec::images),
        spec_case("gates", terms, &PodSpec::gates),
        {"specs[2].required_nodes", "entries", terms,
         [](std::size_t n) {
             SpecItem record;
             record.spec.required_nodes = std::vector<NodeTerm>(n);
             return state(SpecsMessage{third(room.specs, record), {}});
         }},
        {"specs[2].affinity[1].selector[1].values", "entries", terms,
         [](std::size_t n) {
             LabelSelector selector{std::vector<LabelRequirement>(2)};
             selector.requirements[1].values.resize(n);
             SpecItem record;
             record.spec.affinity.resize(2);
             record.spec.affinity[1].selector = selector;
             return state(SpecsMessage{third(room.specs, record), {}});
         }},
        object_case("labels", attributes, &Namespace::labels),
        object_case("disrupted_pods", terms, &PodBudget::disrupted_pods),
        object_case("labels", attributes, &Volume::labels),
        object_case("allowed_topologies", terms, &StorageClass::allowed_topologies),
        object_case("drivers", terms, &CsiNode::drivers),
        object_case("migrated", terms, &CsiNode::migrated),
    };
}

std::vector<Case> text_cases() {
    return {
        {"entries[2].text", "bytes", kBytes,
         [](std::size_t n) {
             return state(DefineMessage{third(room.entries, DictEntry{1, text_of(n)})});
         }},
        {"asks[2].key", "bytes", kBytes,
         [](std::size_t n) { return state(AsksMessage{third(room.asks, with(&AskItem::key, text_of(n)))}); }},
        {"asks[2].devices", "bytes", kBytes,
         [](std::size_t n) { return state(AsksMessage{third(room.asks, with(&AskItem::devices, text_of(n)))}); }},
        {"releases[2].key", "bytes", kBytes,
         [](std::size_t n) {
             return state(ReleasesMessage{third(room.releases, with(&ReleaseItem::key, text_of(n)))});
         }},
        {"releases[2].message", "bytes", kBytes,
         [](std::size_t n) {
             return state(ReleasesMessage{third(room.releases, with(&ReleaseItem::message, text_of(n)))});
         }},
        {"nacks[2].key", "bytes", kBytes,
         [](std::size_t n) {
             return state(NacksMessage{third(room.nacks, NackItem{text_of(n), ""})});
         }},
        {"nacks[2].reason", "bytes", kBytes,
         [](std::size_t n) {
             return state(NacksMessage{third(room.nacks, NackItem{"", text_of(n)})});
         }},
        {"partition", "bytes", kBytes, [](std::size_t n) { return with(&Hello::partition, text_of(n)); }},
        {"version", "bytes", kBytes, [](std::size_t n) { return with(&Hello::version, text_of(n)); }},
        {"reason", "bytes", kBytes, [](std::size_t n) { return with(&HelloReply::reason, text_of(n)); }},
        {"decisions[2].name", "bytes", kBytes,
         [](std::size_t n) {
             return DecisionsFrame{1, 0, third(room.decisions, with(&Decision::name, text_of(n)))};
         }},
        {"decisions[2].node", "bytes", kBytes,
         [](std::size_t n) {
             return DecisionsFrame{1, 0, third(room.decisions, with(&Decision::node, text_of(n)))};
         }},
        {"decisions[2].devices", "bytes", kBytes,
         [](std::size_t n) {
             return DecisionsFrame{1, 0, third(room.decisions, with(&Decision::devices, text_of(n)))};
         }},
        {"decisions[2].text", "bytes", kBytes,
         [](std::size_t n) {
             return DecisionsFrame{1, 0, third(room.decisions, with(&Decision::text, text_of(n)))};
         }},
    };
}

void expect_kept(const Case& limit) {
    EXPECT_EQ(fault_of(limit.make(limit.most)), "") << limit.item;
    EXPECT_EQ(fault_of(limit.make(limit.most + 1)),
              fmt::format("{} has {} {}, at most {}", limit.item, limit.most + 1, limit.unit, limit.most));
}

TEST(Limits, every_list_is_accepted_at_its_limit_and_refused_one_past_it) {
    for (const Case& limit : list_cases()) {
        expect_kept(limit);
    }
}

TEST(Limits, every_list_of_a_spec_or_an_object_is_accepted_at_its_limit_and_refused_one_past_it) {
    for (const Case& limit : spec_and_object_cases()) {
        expect_kept(limit);
    }
}

TEST(Limits, every_text_is_accepted_at_its_limit_and_refused_one_past_it) {
    for (const Case& limit : text_cases()) {
        expect_kept(limit);
    }
}

TEST(Limits, a_configuration_may_be_longer_than_other_texts) {
    EXPECT_EQ(fault_of(state(ConfigurationMessage{text_of(kBytes * 100)})), "");
}

TEST(Limits, limits_set_by_the_caller_are_the_ones_that_hold) {
    Encoder encoder;
    DecodedFrame frame;
    std::string error;
    const Message message = state(ForgetMessage{room.ids = std::vector<DictId>(5)});
    EXPECT_TRUE(frame.decode(encoder.encode(message), {.items_max = 5}, error));
    EXPECT_FALSE(frame.decode(encoder.encode(message), {.items_max = 4}, error));
    EXPECT_EQ(error, "ids has 5 entries, at most 4");
}

// Our decoder must take texts that our encoder shares: a full cluster fails many asks for one long reason.
TEST(Limits, ManyDecisionsWithOneLongTextAreTaken) {
    const std::string text(kBytes, 'r');
    std::vector<std::string> keys;
    for (int number = 0; number < 256; ++number) {
        keys.push_back("pod-" + std::to_string(number));
    }
    std::vector<Decision> decisions;
    for (const std::string& key : keys) {
        Decision decision;
        decision.kind = DecisionKind::ask_waiting;
        decision.name = key;
        decision.text = text;
        decisions.push_back(decision);
    }
    DecisionsFrame frame;
    frame.first_sequence = 1;
    frame.decisions = decisions;
    EXPECT_EQ(fault_of(frame), "");
}

}  // namespace
}  // namespace bayplan::wire
