// Texts of objects to what the converter makes of them, for table tests.
//
// Thread: the test's. Owns the dump and a plain copy of the messages it sends.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/cluster_dump.h"

namespace bayplan::kube::testing {

// Runs `body` over the converter of the one object in `text`.
inline std::vector<ObjectFault> with_object(const std::string& text, const std::function<void(Converter&)>& body,
                                            Texts& texts) {
    std::string padded = text;
    padded.reserve(padded.size() + kTextPadding);
    std::vector<ObjectFault> faults;
    read_objects(
        padded, "test",
        [&](const ReadObject& object) {
            Reader reader(object.value, "test", object.kind);
            Converter convert(reader, texts);
            body(convert);
            for (const ObjectFault& fault : reader.take_faults()) {
                faults.push_back(fault);
            }
        },
        faults);
    return faults;
}

// Everything that a dump sends, copied out of the messages.
struct Sent {
    explicit Sent(const ClusterDump& dump, std::size_t items_max = 1'000) {
        const auto keep = [this](const StateBody& body) { std::visit([this](const auto& one) { take(one); }, body); };
        dump.send_state(keep, items_max);
        dump.send_asks(keep, items_max);
    }

    std::string text(Text id) const { return id == 0 ? "" : texts.at(id); }
    const AskItem& ask(std::string_view key) const {
        for (const AskItem& one : asks) {
            if (one.key == key) {
                return one;
            }
        }
        ADD_FAILURE() << "no ask " << key;
        static const AskItem none;
        return none;
    }
    const PodSpec& spec(std::string_view key) const { return specs.at(ask(key).spec); }
    std::map<std::string, std::int64_t> requests(std::string_view key) const { return amounts(ask(key).requests); }
    std::map<std::string, std::int64_t> amounts(std::span<const Amount> list) const {
        std::map<std::string, std::int64_t> named;
        for (const Amount& amount : list) {
            EXPECT_TRUE(named.emplace(text(amount.resource), amount.value).second) << text(amount.resource) << " twice";
        }
        return named;
    }
    template <typename Object>
    std::vector<Object> all() const {
        std::vector<Object> found;
        for (const ClusterObject& object : objects) {
            if (const Object* const one = std::get_if<Object>(&object)) {
                found.push_back(*one);
            }
        }
        return found;
    }

    std::map<Text, std::string> texts;
    std::map<SpecNumber, PodSpec> specs;
    std::vector<NodeItem> nodes;
    std::vector<ClusterObject> objects;
    std::vector<std::string> applications;
    std::vector<AskItem> asks;
    std::vector<std::string> kinds;  // of messages, in order

private:
    void take(const DefineMessage& message) {
        kinds.push_back("define");
        for (const DictEntry& entry : message.entries) {
            texts.emplace(entry.id, entry.text);
        }
    }
    void take(const SpecsMessage& message) {
        kinds.push_back("specs");
        for (const SpecItem& record : message.define) {
            specs.emplace(record.number, record.spec);
        }
    }
    void take(const NodesMessage& message) {
        kinds.push_back("nodes");
        nodes.insert(nodes.end(), message.nodes.begin(), message.nodes.end());
    }
    void take(const ObjectsMessage& message) {
        kinds.push_back("objects");
        for (const ObjectItem& record : message.objects) {
            objects.push_back(record.object);
        }
    }
    void take(const ApplicationsMessage& message) {
        kinds.push_back("applications");
        for (const ApplicationItem& record : message.add) {
            applications.push_back(text(record.application));
        }
    }
    // Spans in asks and nodes point into the dump.
    void take(const AsksMessage& message) {
        kinds.push_back("asks");
        asks.insert(asks.end(), message.asks.begin(), message.asks.end());
    }
    template <typename Other>
    void take(const Other&) {
        ADD_FAILURE() << "a message that a dump has no use for";
    }
};

// A dump of one text, finished.
struct DumpOf {
    explicit DumpOf(const std::string& text, DumpOptions options = {}) : dump(std::move(options)) {
        dump.read_text(text, "test");
        dump.finish();
    }
    Sent sent() const { return Sent(dump); }
    std::vector<std::string> faults() const {
        std::vector<std::string> texts;
        for (const ObjectFault& fault : dump.faults()) {
            texts.push_back(fault.to_string());
        }
        return texts;
    }
    ClusterDump dump;
};

}  // namespace bayplan::kube::testing
