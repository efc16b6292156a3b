// Does a set of labels match a requirement, a selector? Source: Kubernetes 1.35, labels.Requirement.
//
//   in                 the key is there with one of the values
//   not_in             the key is absent, or has none of the values
//   exists             the key is there
//   does_not_exist     it is not
//   greater, less      the key is there, its value and the only value of the requirement are decimal int64,
//                      and the label's is strictly above (below)
//
// Labels are sorted by key, keys distinct. Texts are compared by id; only greater and less read
// characters. Thread: any, while nobody interns in the table. No errors: what cannot match does not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/text_table.h"
#include "bayplan/pod_spec.h"

namespace bayplan {

// The label of this key, or null.
const Label* label_of(std::span<const Label> sorted_labels, Text key);

bool matches(const LabelRequirement&, std::span<const Label> sorted_labels, const TextTable&);
bool matches(const LabelSelector&, std::span<const Label> sorted_labels, const TextTable&);
// An absent selector matches nothing.
bool matches(const std::optional<LabelSelector>&, std::span<const Label> sorted_labels, const TextTable&);

// For tables by label.
inline std::uint64_t number_of(Text key, Text value) { return std::uint64_t{key} << 32 | value; }

std::vector<Label> sorted_by_key(std::vector<Label>);

// The same selector in one form: requirements and values sorted by id, without repetition. Two selectors
// of the same form match alike, so counters may be shared between them.
LabelSelector canonical(LabelSelector);

// A decimal int64 as Go's strconv.ParseInt(text, 10, 64) takes it: sign, leading zeros, nothing else.
std::optional<std::int64_t> decimal_int64(std::string_view);

// Whether the API server accepts it as a label's value (at most 63 characters, alphanumeric ends, -_. inside, may be
// empty) and key (the same but not empty, with a DNS name and a slash before it, or without).
bool valid_label_value(std::string_view);
bool valid_label_key(std::string_view);

}  // namespace bayplan
