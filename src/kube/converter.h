// The parts that objects have in common: labels, selectors, terms, taints, owners.
//
// Nothing is defaulted but what Kubernetes' own code reads into an absent field. A value that the API server would have
// refused is a fault; a value that it accepts and the scheduler merely never matches is passed on as it is.
//
// Thread: one. Refers to the reader of one object and to the dictionary.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bayplan/pod_spec.h"
#include "kube/reader.h"
#include "kube/texts.h"

namespace bayplan::kube {

class Converter {
public:
    Converter(Reader& reader, Texts& texts) : reader(reader), texts(texts) {}

    Reader& reader;
    Texts& texts;

    // Ids; a text that is too long for the dictionary is a fault.
    Text text(const Value&);
    Text needed(const Value& parent, std::string_view name);
    Text intern(const Value& where, std::string_view text);
    std::vector<Text> text_list(const Value&);

    std::vector<Label> labels(const Value& map);
    std::optional<LabelSelector> selector(const Value&);      // absent: none, which matches nothing
    std::optional<LabelSelector> map_selector(const Value&);  // of services: a map of labels
    NodeTerm node_term(const Value&);
    std::vector<NodeTerm> node_terms(const Value& list);
    PodTerm pod_term(const Value&);
    TaintEffect effect(const Value&);
    Taint taint(const Value&);

    // The owner with `controller: true`; an absent value if there is none.
    const Value& controller(const Value& metadata);
    std::string_view name_space();  // "default" if the object has none
    Quantity amount(const Value&);  // 0 if absent; negative is a fault
    std::int64_t bytes(const Value&, std::int64_t absent);

private:
    LabelRequirement requirement(const Value&, bool of_nodes);
};

}  // namespace bayplan::kube
