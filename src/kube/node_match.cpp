// See node_match.h. Source of the rules: Kubernetes 1.35.
#include "kube/node_match.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace bayplan::kube {

namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(number) : std::nullopt;
}

std::vector<Label> labels_of(const ConvertedNode& node) {
    std::vector<Label> labels;
    for (const Attribute& one : node.attributes) labels.push_back({one.key, one.value});
    return labels;
}

bool keeps_away(const Taint& taint) {
    return taint.effect == TaintEffect::no_schedule || taint.effect == TaintEffect::no_execute;
}

}  // namespace

bool matches(const LabelRequirement& wanted, std::span<const Label> labels, const Texts& texts) {
    const auto found = std::ranges::find(labels, wanted.key, &Label::key);
    const bool has = found != labels.end();
    const bool listed = has && std::ranges::find(wanted.values, found->value) != wanted.values.end();
    switch (wanted.op) {
        case LabelOperator::in: return listed;
        case LabelOperator::not_in: return !listed;
        case LabelOperator::exists: return has;
        case LabelOperator::does_not_exist: return !has;
        case LabelOperator::greater:
        case LabelOperator::less: break;
    }
    if (!has || wanted.values.size() != 1) return false;
    const auto value = number_of(texts.text(found->value));
    const auto bound = number_of(texts.text(wanted.values.front()));
    if (!value || !bound) return false;
    return wanted.op == LabelOperator::greater ? *value > *bound : *value < *bound;
}

bool matches(const LabelSelector& selector, std::span<const Label> labels, const Texts& texts) {
    return std::ranges::all_of(selector.requirements,
                               [&](const LabelRequirement& one) { return matches(one, labels, texts); });
}

bool matches(const NodeTerm& term, const ConvertedNode& node, const Texts& texts) {
    if (term.labels.empty() && term.fields.empty()) return false;
    const std::vector<Label> labels = labels_of(node);
    const auto by_name = [&](const LabelRequirement& one) {
        const bool listed = std::ranges::find(one.values, node.name) != one.values.end();
        return one.op == LabelOperator::not_in ? !listed : listed;
    };
    return std::ranges::all_of(term.labels, [&](const LabelRequirement& one) { return matches(one, labels, texts); }) &&
           std::ranges::all_of(term.fields, by_name);
}

bool tolerates(const Toleration& one, const Taint& taint) {
    if (one.effect != TaintEffect::any && one.effect != taint.effect) return false;
    if (one.key != 0 && one.key != taint.key) return false;
    return one.exists || (one.key != 0 && one.value == taint.value);
}

const Taint* untolerated(const PodSpec& spec, const ConvertedNode& node) {
    for (const Taint& taint : node.taints) {
        const bool tolerated =
            std::ranges::any_of(spec.tolerations, [&](const Toleration& one) { return tolerates(one, taint); });
        if (keeps_away(taint) && !tolerated) return &taint;
    }
    return nullptr;
}

bool selects(const PodSpec& spec, const ConvertedNode& node, const Texts& texts) {
    const auto has = [&](const Label& wanted) {
        return std::ranges::any_of(
            node.attributes, [&](const Attribute& one) { return one.key == wanted.key && one.value == wanted.value; });
    };
    if (!std::ranges::all_of(spec.node_selector, has)) return false;
    return !spec.required_nodes ||
           std::ranges::any_of(*spec.required_nodes, [&](const NodeTerm& term) { return matches(term, node, texts); });
}

}  // namespace bayplan::kube
