// Selectors are asked once for each device. See device_selectors.h.
#include "claims/device_selectors.h"

#include <utility>

namespace bayplan {

std::vector<std::shared_ptr<const DeviceSelector>> DeviceSelectors::compiled(const Selectors& selectors) {
    std::vector<std::shared_ptr<const DeviceSelector>> all;
    std::string expression;
    for (std::size_t at = 0; at < selectors.size(); ++at) {
        expression = texts_.text(selectors[at]);
        for (; at + 2 < selectors.size() && selectors[at + 1] == 0; at += 2) {
            expression += texts_.text(selectors[at + 2]);
        }
        all.push_back(compiled_once(expression));
    }
    return all;
}

std::shared_ptr<const DeviceSelector> DeviceSelectors::compiled_once(const std::string& text) {
    if (const auto found = compiled_.find(text); found != compiled_.end()) {
        return found->second;
    }
    if (compiled_.size() >= kMost) {
        compiled_.clear();
    }
    auto made = std::make_shared<DeviceSelector>();
    auto outcome = cel::Selector::compile(text);
    if (auto* const selector = std::get_if<std::shared_ptr<const cel::Selector>>(&outcome)) {
        made->selector = std::move(*selector);
    } else {
        made->fault = "CEL compile error: " + std::get<std::string>(outcome);
    }
    compiled_.emplace(text, made);
    return made;
}

namespace {

cel::Outcome ask(const cel::Selector& selector, const ResourceSlice& slice, const SliceDevice& device,
                 const TextTable& texts) {
    std::vector<cel::Attribute> attributes;
    for (const DeviceAttribute& one : device.attributes) {
        attributes.push_back(
            {texts.text(one.name), static_cast<cel::ValueType>(one.type), texts.text(one.text), one.number});
    }
    std::vector<cel::Capacity> capacities;
    for (const DeviceCapacity& one : device.capacities) {
        capacities.push_back({texts.text(one.name), texts.text(one.quantity)});
    }
    return selector.evaluate({texts.text(slice.driver), attributes, capacities});
}

}  // namespace

DeviceVerdict DeviceVerdicts::of(const std::shared_ptr<const DeviceSelector>& selector, const ResourceSlice& slice,
                                 std::size_t device, const TextTable& texts) {
    if (selector->selector == nullptr) {
        return {false, &selector->fault};
    }
    if (kept_.size() >= kMost && !kept_.contains(selector.get())) {
        kept_.clear();
    }
    OfSelector& of = kept_[selector.get()];
    if (of.selector == nullptr) {
        of.selector = selector;
        of.said.resize(slice.devices.size());
    }
    Said& said = of.said[device];
    if (said == Said::nothing) {
        cel::Outcome outcome = ask(*selector->selector, slice, slice.devices[device], texts);
        said = outcome.kind == cel::Outcome::Kind::yes ? Said::yes : Said::no;
        if (outcome.kind == cel::Outcome::Kind::error) {
            said = Said::error;
            of.errors.emplace(device, "CEL runtime error: " + outcome.error);
        }
    }
    return {said == Said::yes, said == Said::error ? &of.errors.at(device) : nullptr};
}

}  // namespace bayplan
