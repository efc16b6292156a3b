// Requirements and selectors against labels. See selector.h.

#include "labels/selector.h"

#include <algorithm>
#include <charconv>

namespace bayplan {

namespace {

bool alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Alphanumeric at both ends, -_. allowed between; not empty.
bool valid_name(std::string_view text) {
    return !text.empty() && text.size() <= 63 && alphanumeric(text.front()) && alphanumeric(text.back()) &&
           std::ranges::all_of(text, [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Lower-case words of letters, digits and inner hyphens, joined by dots.
bool valid_dns_name(std::string_view text) {
    if (text.empty() || text.size() > 253) {
        return false;
    }
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    char before = '.';
    for (const char c : text) {
        const bool fits = plain(c) || (c == '-' && before != '.') || (c == '.' && before != '.' && before != '-');
        if (!fits) {
            return false;
        }
        before = c;
    }
    return plain(before);
}

bool has_value(const LabelRequirement& requirement, Text value) {
    return std::ranges::find(requirement.values, value) != requirement.values.end();
}

bool compares(const LabelRequirement& requirement, Text label_value, const TextTable& texts) {
    if (requirement.values.size() != 1) {
        return false;
    }
    const auto have = decimal_int64(texts.text(label_value));
    const auto bound = decimal_int64(texts.text(requirement.values.front()));
    if (!have || !bound) {
        return false;
    }
    return requirement.op == LabelOperator::greater ? *have > *bound : *have < *bound;
}

}  // namespace

const Label* label_of(std::span<const Label> sorted_labels, Text key) {
    const auto at = std::ranges::lower_bound(sorted_labels, key, {}, &Label::key);
    return at != sorted_labels.end() && at->key == key ? &*at : nullptr;
}

bool matches(const LabelRequirement& requirement, std::span<const Label> sorted_labels, const TextTable& texts) {
    const Label* label = label_of(sorted_labels, requirement.key);
    switch (requirement.op) {
        case LabelOperator::in: return label != nullptr && has_value(requirement, label->value);
        case LabelOperator::not_in: return label == nullptr || !has_value(requirement, label->value);
        case LabelOperator::exists: return label != nullptr;
        case LabelOperator::does_not_exist: return label == nullptr;
        case LabelOperator::greater:
        case LabelOperator::less: return label != nullptr && compares(requirement, label->value, texts);
    }
    return false;
}

bool matches(const LabelSelector& selector, std::span<const Label> sorted_labels, const TextTable& texts) {
    return std::ranges::all_of(selector.requirements, [&](const LabelRequirement& requirement) {
        return matches(requirement, sorted_labels, texts);
    });
}

bool matches(const std::optional<LabelSelector>& selector, std::span<const Label> sorted_labels,
             const TextTable& texts) {
    return selector.has_value() && matches(*selector, sorted_labels, texts);
}

std::vector<Label> sorted_by_key(std::vector<Label> labels) {
    std::ranges::sort(labels, {}, &Label::key);
    return labels;
}

LabelSelector canonical(LabelSelector selector) {
    for (LabelRequirement& requirement : selector.requirements) {
        std::ranges::sort(requirement.values);
        requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                                 requirement.values.end());
    }
    const auto before = [](const LabelRequirement& a, const LabelRequirement& b) {
        return a.key != b.key ? a.key < b.key : a.op != b.op ? a.op < b.op : a.values < b.values;
    };
    std::ranges::sort(selector.requirements, before);
    const auto repeated = std::unique(selector.requirements.begin(), selector.requirements.end());
    selector.requirements.erase(repeated, selector.requirements.end());
    return selector;
}

std::optional<std::int64_t> decimal_int64(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) {
            return std::nullopt;  // from_chars would take it
        }
    }
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

bool valid_label_value(std::string_view text) { return text.empty() || valid_name(text); }

bool valid_label_key(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return valid_name(text);
    }
    // A second slash is in the name and makes it invalid.
    return valid_dns_name(text.substr(0, slash)) && valid_name(text.substr(slash + 1));
}

}  // namespace bayplan
