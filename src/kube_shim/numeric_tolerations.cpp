// See numeric_tolerations.h. Source: Kubernetes 1.35, v1.Toleration.ToleratesTaint.
#include "kube_shim/numeric_tolerations.h"

#include <algorithm>
#include <charconv>

namespace bayplan::kube_shim {

namespace {

TaintEffect effect_of(std::string_view name) {
    if (name == "NoSchedule") {
        return TaintEffect::no_schedule;
    }
    if (name == "PreferNoSchedule") {
        return TaintEffect::prefer_no_schedule;
    }
    return name == "NoExecute" ? TaintEffect::no_execute : TaintEffect::any;
}

}  // namespace

std::optional<std::int64_t> decimal_integer(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    const bool zero_in_front = digits.starts_with('0') && (digits.size() > 1 || digits.size() < text.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool sound = error == std::errc() && end == text.data() + text.size() && !zero_in_front;
    return sound ? std::optional(number) : std::nullopt;
}

std::vector<NumericToleration> numeric_tolerations(const kube::Value& pod) {
    std::vector<NumericToleration> made;
    for (const kube::Value& one : pod["spec"]["tolerations"].items()) {
        const std::string_view op = one["operator"].text();
        const std::optional<std::int64_t> bound = decimal_integer(one["value"].text());
        if (bound && (op == "Gt" || op == "Lt")) {
            made.push_back({std::string(one["key"].text()), op == "Gt", *bound, effect_of(one["effect"].text())});
        }
    }
    return made;
}

bool TaintValues::add(std::span<const Taint> taints) {
    bool any = false;
    for (const Taint& taint : taints) {
        auto& values = values_[taint.key];
        const auto found = std::ranges::find(values, taint.value, &std::pair<Text, std::uint32_t>::first);
        if (found == values.end()) {
            values.emplace_back(taint.value, 1);
            any = true;
        } else {
            ++found->second;
        }
    }
    return any;
}

void TaintValues::take_out(std::span<const Taint> taints) {
    for (const Taint& taint : taints) {
        const auto values = values_.find(taint.key);
        if (values == values_.end()) {
            continue;
        }
        std::erase_if(values->second, [&](auto& value) { return value.first == taint.value && --value.second == 0; });
        if (values->second.empty()) {
            values_.erase(values);
        }
    }
}

void TaintValues::extend(PodSpec& spec, std::span<const NumericToleration> tolerations,
                         const kube::Texts& texts) const {
    for (const NumericToleration& one : tolerations) {
        const Text key = texts.find(one.key);
        const auto values = key == 0 ? values_.end() : values_.find(key);
        if (values == values_.end()) {
            continue;
        }
        for (const auto& [value, count] : values->second) {
            const std::optional<std::int64_t> number = decimal_integer(texts.text(value));
            if (number && (one.greater ? *number > one.bound : *number < one.bound)) {
                spec.tolerations.push_back({key, false, value, one.effect});
            }
        }
    }
}

}  // namespace bayplan::kube_shim
