// Texts by name for tests of rules: a table, the texts that rules know, and short ways to make labels.
//
// Thread: the test's. Texts are never released.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/node_facts.h"
#include "labels/known_texts.h"
#include "labels/selector.h"

namespace bayplan::testing {

struct TextWorld {
    TextTable texts;
    KnownTexts known{texts};

    Text text(std::string_view name) { return texts.acquire(name); }

    std::vector<Text> list(std::initializer_list<std::string_view> names) {
        std::vector<Text> ids;
        for (const std::string_view name : names) {
            ids.push_back(text(name));
        }
        return ids;
    }

    using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    // Sorted by key.
    std::vector<Label> labels(Pairs pairs) {
        std::vector<Label> made;
        for (const auto& [key, value] : pairs) {
            made.push_back({text(key), text(value)});
        }
        return sorted_by_key(std::move(made));
    }

    LabelRequirement requirement(std::string_view key, LabelOperator op,
                                 std::initializer_list<std::string_view> values = {}) {
        return {.key = text(key), .op = op, .values = list(values)};
    }

    // Each pair as `in` with one value.
    LabelSelector equals(Pairs pairs) {
        LabelSelector selector;
        for (const auto& [key, value] : pairs) {
            selector.requirements.push_back(requirement(key, LabelOperator::in, {value}));
        }
        return selector;
    }

    NodeFacts node(std::string_view name, Pairs pairs = {}) {
        NodeFacts facts;
        facts.name = text(name);
        facts.labels = labels(pairs);
        return facts;
    }
};

}  // namespace bayplan::testing
