// Matching of labels, node terms and taints.
//
// Thread and errors: see kube_match.h.
#include "kube_match.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace bayplan::oracle {

namespace {

// Base 10 with an optional sign, the whole text, within 64 bits.
std::optional<std::int64_t> to_integer(const std::string& text) {
    const bool plus = !text.empty() && text[0] == '+';
    if (plus && text.size() > 1 && text[1] == '-') {
        return std::nullopt;
    }
    const char* const first = text.data() + (plus ? 1 : 0);
    const char* const last = text.data() + text.size();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc() || end != last) {
        return std::nullopt;
    }
    return value;
}

// Letters and digits at both ends, `-`, `_` and `.` between, at most 63 bytes.
bool is_name(const std::string& text) {
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    return !text.empty() && text.size() <= 63 && plain(text.front()) && plain(text.back()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_label_value(const std::string& text) { return text.empty() || is_name(text); }

// Words of small letters, digits and inner hyphens with dots between them, at most 253 bytes.
bool is_domain(const std::string& text) {
    const auto hyphen_ok = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find('.', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (word.empty() || word.front() == '-' || word.back() == '-' ||
            !std::all_of(word.begin(), word.end(), hyphen_ok)) {
            return false;
        }
        begin = end + 1;
    }
    return text.size() <= 253;
}

// A name, or a domain and a name with one slash between them.
bool is_label_key(const std::string& text) {
    const std::size_t slash = text.find('/');
    return slash == std::string::npos ? is_name(text)
                                      : is_domain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

// Whether Kubernetes can make a selector of this requirement of a node term.
bool parses_as_label(const KubeRequirement& wanted) {
    switch (wanted.op) {
        case LabelOperator::in:
        case LabelOperator::not_in:
            if (wanted.values.empty()) {
                return false;
            }
            break;
        case LabelOperator::exists:
        case LabelOperator::does_not_exist:
            if (!wanted.values.empty()) {
                return false;
            }
            break;
        case LabelOperator::greater:
        case LabelOperator::less:
            if (wanted.values.size() != 1 || !to_integer(wanted.values[0])) {
                return false;
            }
            break;
    }
    return is_label_key(wanted.key) && std::all_of(wanted.values.begin(), wanted.values.end(), is_label_value);
}

bool parses_as_field(const KubeRequirement& wanted) {
    return (wanted.op == LabelOperator::in || wanted.op == LabelOperator::not_in) && wanted.values.size() == 1;
}

}  // namespace

bool requirement_holds(const KubeRequirement& wanted, const KubeLabels& labels) {
    const auto found = labels.find(wanted.key);
    const bool there = found != labels.end();
    const bool listed =
        there && std::find(wanted.values.begin(), wanted.values.end(), found->second) != wanted.values.end();
    switch (wanted.op) {
        case LabelOperator::in: return listed;
        case LabelOperator::not_in: return !listed;
        case LabelOperator::exists: return there;
        case LabelOperator::does_not_exist: return !there;
        case LabelOperator::greater:
        case LabelOperator::less: break;
    }
    if (!there || wanted.values.size() != 1) {
        return false;
    }
    const auto has = to_integer(found->second);
    const auto bound = to_integer(wanted.values[0]);
    if (!has || !bound) {
        return false;
    }
    return wanted.op == LabelOperator::greater ? *has > *bound : *has < *bound;
}

bool selector_matches(const KubeSelector& selector, const KubeLabels& labels) {
    return std::all_of(selector.begin(), selector.end(),
                       [&](const KubeRequirement& wanted) { return requirement_holds(wanted, labels); });
}

bool selector_matches(const KubeMaybeSelector& selector, const KubeLabels& labels) {
    return selector && selector_matches(*selector, labels);
}

bool node_term_matches(const KubeNodeTerm& term, const KubeNode& node) {
    if (term.labels.empty() && term.fields.empty()) {
        return false;
    }
    if (!std::all_of(term.labels.begin(), term.labels.end(), parses_as_label) ||
        !std::all_of(term.fields.begin(), term.fields.end(), parses_as_field)) {
        return false;
    }
    // A node without a name has no fields to compare (volumes ask this way).
    return selector_matches(term.labels, node.labels) &&
           (node.name.empty() || selector_matches(term.fields, {{"metadata.name", node.name}}));
}

bool any_node_term_matches(const std::vector<KubeNodeTerm>& terms, const KubeNode& node) {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const KubeNodeTerm& term) { return node_term_matches(term, node); });
}

bool pod_wants_node(const KubeSpec& spec, const KubeNode& node) {
    for (const auto& [key, value] : spec.node_selector) {
        const auto found = node.labels.find(key);
        if (found == node.labels.end() || found->second != value) {
            return false;
        }
    }
    return !spec.required_nodes || any_node_term_matches(*spec.required_nodes, node);
}

bool tolerates(const KubeToleration& toleration, const KubeTaint& taint) {
    if (toleration.effect != TaintEffect::any && toleration.effect != taint.effect) {
        return false;
    }
    if (!toleration.key.empty() && toleration.key != taint.key) {
        return false;
    }
    return toleration.exists || toleration.value == taint.value;
}

bool any_tolerates(const std::vector<KubeToleration>& tolerations, const KubeTaint& taint) {
    return std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const KubeToleration& one) { return tolerates(one, taint); });
}

bool has_untolerated_taint(const KubeSpec& spec, const KubeNode& node) {
    return std::any_of(node.taints.begin(), node.taints.end(), [&](const KubeTaint& taint) {
        return (taint.effect == TaintEffect::no_schedule || taint.effect == TaintEffect::no_execute) &&
               !any_tolerates(spec.tolerations, taint);
    });
}

}  // namespace bayplan::oracle
