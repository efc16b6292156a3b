// The part of Inputs about plugins: which a shim serves, and what they answer (rules/plugins.md).

#include <algorithm>
#include <string>

#include "base/lines.h"
#include "engine/inputs.h"

namespace bayplan {

namespace {

constexpr std::size_t kPluginsServedMax = 64;

}  // namespace

void Inputs::take_plugins(Shim& shim, std::string_view names) {
    shim.plugins.clear();
    std::size_t named = 0;
    for_each_line(names, [&](std::string_view name) {
        if (named < kPluginsServedMax && !name.empty() && name.size() <= kNameBytesMax) {
            ++named;
            shim.plugins.emplace(name);
        }
    });
}

// Of an ask that is to be placed.
std::string Inputs::plugins_fault(const Shim& shim, const AskItem& record) const {
    if (record.spec == 0 || record.node != 0) {
        return {};
    }
    const PodSpec& spec = world_.specs[shim.specs.at(record.spec)];
    for (const Text name : spec.plugins) {
        const std::string_view text = world_.texts.text(name);
        if (!shim.plugins.contains(text)) {
            return "plugin " + std::string(text) + " is not served by its shim";
        }
    }
    const bool in_gang = record.group_fault != GroupFault::none || record.group_min_available != 0;
    return spec.plugins.empty() || !in_gang ? "" : "pods that need plugins cannot be placed together";
}

std::string Inputs::answer_fault(Shim& shim, const PluginAnswer& answer, std::size_t asked) {
    if (!answer.failure.empty()) {
        return ": " + std::string(answer.failure);
    }
    if (answer.verdicts.size() != asked) {
        return " gave " + std::to_string(answer.verdicts.size()) + " verdicts for " + std::to_string(asked) + " nodes";
    }
    if (std::ranges::find(answer.verdicts, PluginVerdict::unknown) != answer.verdicts.end()) {
        return " gave no verdict for a node";
    }
    const std::string fault = bytes_fault(shim, world_.plugins.bytes_of(answer));
    return fault.empty() ? fault : ": " + fault;
}

void Inputs::take_answer(ShimId id, const PluginAnswer& answer) {
    const AskId ask = world_.plugins.asked_with(answer.query);
    if (ask == kNone<AskId> || world_.asks[ask].shim != id) {
        ++answers_ignored_;
        return;
    }
    Shim& shim = world_.shims[id];
    if (const std::string fault = answer_fault(shim, answer, world_.plugins.of(ask)->asked.size()); !fault.empty()) {
        lifecycle_.unanswered(ask, plugin_names(world_, ask) + fault);
        return;
    }
    const std::uint64_t before = world_.plugins.of(ask)->bytes;
    world_.plugins.answered(ask, answer);
    const PluginTable::Entry& entry = *world_.plugins.of(ask);
    world_.bytes.give_back(shim.bytes, before);
    world_.bytes.add(shim.bytes, entry.bytes);
    lifecycle_.count_queries(id, -1);
    if (answer.verdicts.front() != PluginVerdict::feasible) {
        const auto known = std::ranges::lower_bound(entry.known, world_.asks[ask].slot, {}, &PluginTable::Known::slot);
        lifecycle_.deny(ask, std::string(PluginTable::reason_of(entry, *known)));
    } else if (world_.plugins.counting(entry, world_.asks[ask].slot) == nullptr) {
        lifecycle_.query_again(ask);
    } else {
        lifecycle_.confirm(ask);
    }
}

void Inputs::apply(ShimId id, const PluginAnswersMessage& message) {
    for (const PluginAnswer& answer : message.answers) {
        take_answer(id, answer);
    }
}

}  // namespace bayplan
