// See converter.h.
#include "kube/converter.h"

#include <algorithm>

namespace bayplan::kube {

namespace {

std::optional<LabelOperator> read_operator(std::string_view text, bool of_nodes) {
    if (text == "In") {
        return LabelOperator::in;
    }
    if (text == "NotIn") {
        return LabelOperator::not_in;
    }
    if (text == "Exists") {
        return LabelOperator::exists;
    }
    if (text == "DoesNotExist") {
        return LabelOperator::does_not_exist;
    }
    if (of_nodes && text == "Gt") {
        return LabelOperator::greater;
    }
    if (of_nodes && text == "Lt") {
        return LabelOperator::less;
    }
    return std::nullopt;
}

}  // namespace

Text Converter::intern(const Value& where, std::string_view text) {
    if (text.size() > Texts::kLengthMax) {
        reader.fault(where, "is longer than " + std::to_string(Texts::kLengthMax) + " bytes");
        return 0;
    }
    return texts.id(text);
}

Text Converter::text(const Value& value) { return intern(value, reader.text(value)); }

Text Converter::needed(const Value& parent, std::string_view name) {
    return intern(parent[name], reader.needed(parent, name));
}

std::vector<Text> Converter::text_list(const Value& list) {
    std::vector<Text> ids;
    for (const Value& item : reader.items(list)) {
        ids.push_back(text(item));
    }
    return ids;
}

std::vector<Label> Converter::labels(const Value& map) {
    std::vector<Label> labels;
    for (const Member& member : reader.members(map)) {
        const Label label{intern(member.value, member.name), text(member.value)};
        const auto same = [&](const Label& other) { return other.key == label.key; };
        if (const auto found = std::find_if(labels.begin(), labels.end(), same); found != labels.end()) {
            found->value = label.value;  // of equal keys the last counts, as everywhere in JSON
        } else {
            labels.push_back(label);
        }
    }
    return labels;
}

LabelRequirement Converter::requirement(const Value& value, bool of_nodes) {
    LabelRequirement requirement;
    requirement.key = needed(value, "key");
    const std::string_view name = reader.needed(value, "operator");
    requirement.values = text_list(value["values"]);
    if (const std::optional<LabelOperator> op = read_operator(name, of_nodes)) {
        requirement.op = *op;
    } else if (!name.empty()) {
        reader.fault(value["operator"], "'" + std::string(name) + "' is no operator here");
    }
    const bool lists = requirement.op == LabelOperator::in || requirement.op == LabelOperator::not_in;
    if (lists && requirement.values.empty()) {
        reader.fault_below(value, "values", "must not be empty with the operator " + std::string(name));
    }
    const bool bare = requirement.op == LabelOperator::exists || requirement.op == LabelOperator::does_not_exist;
    if (bare && !requirement.values.empty()) {
        reader.fault(value["values"], "must be empty with the operator " + std::string(name));
    }
    return requirement;
}

std::optional<LabelSelector> Converter::map_selector(const Value& value) {
    if (!value.present()) {
        return std::nullopt;
    }
    LabelSelector selector;
    for (const Label& label : labels(value)) {
        selector.requirements.push_back({label.key, LabelOperator::in, {label.value}});
    }
    return selector;
}

std::optional<LabelSelector> Converter::selector(const Value& value) {
    if (!value.present()) {
        return std::nullopt;
    }
    reader.members(value);  // for the fault of a selector that is no object
    LabelSelector selector = map_selector(value["matchLabels"]).value_or(LabelSelector());
    for (const Value& one : reader.items(value["matchExpressions"])) {
        selector.requirements.push_back(requirement(one, false));
    }
    return selector;
}

NodeTerm Converter::node_term(const Value& value) {
    NodeTerm term;
    for (const Value& one : reader.items(value["matchExpressions"])) {
        term.labels.push_back(requirement(one, true));
    }
    for (const Value& one : reader.items(value["matchFields"])) {
        term.fields.push_back(requirement(one, true));
        if (const std::string_view key = one["key"].text(); !key.empty() && key != "metadata.name") {
            reader.fault(one["key"], "'" + std::string(key) + "' is no field; metadata.name is the only one");
        }
    }
    return term;
}

std::vector<NodeTerm> Converter::node_terms(const Value& list) {
    std::vector<NodeTerm> terms;
    for (const Value& one : reader.items(list)) {
        terms.push_back(node_term(one));
    }
    return terms;
}

PodTerm Converter::pod_term(const Value& value) {
    PodTerm term;
    term.selector = selector(value["labelSelector"]);
    term.namespaces = text_list(value["namespaces"]);
    term.namespace_selector = selector(value["namespaceSelector"]);
    term.topology_key = needed(value, "topologyKey");
    return term;
}

TaintEffect Converter::effect(const Value& value) {
    const std::string_view name = reader.text(value);
    if (name.empty()) {
        return TaintEffect::any;
    }
    if (name == "NoSchedule") {
        return TaintEffect::no_schedule;
    }
    if (name == "PreferNoSchedule") {
        return TaintEffect::prefer_no_schedule;
    }
    if (name == "NoExecute") {
        return TaintEffect::no_execute;
    }
    reader.fault(value, "'" + std::string(name) + "' is no effect of a taint");
    return TaintEffect::any;
}

Taint Converter::taint(const Value& value) {
    const Taint taint{needed(value, "key"), text(value["value"]), effect(value["effect"])};
    if (taint.effect == TaintEffect::any && !value["effect"].present()) {
        reader.fault_below(value, "effect", "is missing");
    }
    return taint;
}

const Value& Converter::controller(const Value& metadata) {
    static const Value kNone;
    for (const Value& owner : reader.items(metadata["ownerReferences"])) {
        if (reader.flag(owner["controller"])) {
            return owner;
        }
    }
    return kNone;
}

std::string_view Converter::name_space() {
    const std::string_view name = reader.text(reader.root()["metadata"]["namespace"]);
    return name.empty() ? std::string_view("default") : name;
}

Quantity Converter::amount(const Value& value) {
    const Quantity quantity = reader.quantity(value).value_or(Quantity());
    if (quantity.nanos < 0) {
        reader.fault(value, "must not be negative");
        return {};
    }
    return quantity;
}

std::int64_t Converter::bytes(const Value& value, std::int64_t absent) {
    if (!value.present()) {
        return absent;
    }
    const Rounded rounded = whole_items(amount(value));
    if (rounded.cut) {
        reader.remark(value, "is more than 2^53, which is counted in its place");
    }
    return rounded.value;
}

}  // namespace bayplan::kube
