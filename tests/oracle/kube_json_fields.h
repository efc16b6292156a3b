// Small readers of JSON fields that the readers of pods and objects share.
//
// Thread: pure functions. Errors: simdjson::simdjson_error when a field is of another type than
// Kubernetes gives it; an absent field reads as its empty value.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "kube_model.h"
#include "kube_quantity.h"

namespace bayplan::oracle::json {

using Element = simdjson::dom::element;

// The field at a path like "spec.affinity"; keys with dots in them are given one by one by `child`.
std::optional<Element> child(Element, std::string_view key);
std::optional<Element> at(Element, std::string_view path);

std::string text(Element, std::string_view path);
bool flag(Element, std::string_view path);
std::int64_t number(Element, std::string_view path, std::int64_t absent);
std::vector<std::string> texts(Element, std::string_view path);
std::vector<Element> list(Element, std::string_view path);
KubeLabels labels(Element, std::string_view path);
NanoAmounts amounts(Element, std::string_view path);

KubeMaybeSelector selector(Element, std::string_view path);
KubeSelector requirements(Element, std::string_view path);
KubeNodeTerm node_term(Element);
std::vector<KubeNodeTerm> node_terms(Element, std::string_view path);
std::uint8_t access_modes(Element, std::string_view path);

// Kinds of resources that the scheduler looks at.
bool is_tracked(const std::string& kind);

}  // namespace bayplan::oracle::json
