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

// Of an answer that says yes.
std::string Inputs::victims_fault(const PluginAnswer& answer, const PluginTable::Offer& offer) {
    const std::size_t offered = offer.victims.size();
    if ((answer.first_victims > 0) == !answer.victims.empty()) {
        return answer.victims.empty() ? " chose no victims" : " chose victims in two ways";
    }
    if (answer.first_victims > offered || answer.victims.size() > offered) {
        return " chose " + std::to_string(answer.first_victims + answer.victims.size()) + " victims of " +
               std::to_string(offered);
    }
    if (answer.first_victims > 0 && answer.first_victims < offer.needed) {
        return " chose " + std::to_string(answer.first_victims) + " victims, and at least " +
               std::to_string(offer.needed) + " must go";
    }
    std::vector<bool> chosen(offered);
    for (const std::uint32_t victim : answer.victims) {
        if (victim >= offered) {
            return " chose a victim that was not offered";
        }
        if (chosen[victim]) {
            return " chose a victim twice";
        }
        chosen[victim] = true;
    }
    return {};
}

std::string Inputs::answer_fault(Shim& shim, const PluginAnswer& answer, const PluginTable::Entry& entry) {
    const std::size_t asked = entry.asked.size();
    if (!answer.failure.empty()) {
        return ": " + std::string(answer.failure);
    }
    if (answer.verdicts.size() != asked) {
        return " gave " + std::to_string(answer.verdicts.size()) + " verdicts for " + std::to_string(asked) + " nodes";
    }
    if (std::ranges::find(answer.verdicts, PluginVerdict::unknown) != answer.verdicts.end()) {
        return " gave no verdict for a node";
    }
    if (entry.about_victims && answer.verdicts.front() == PluginVerdict::feasible) {
        if (std::string fault = victims_fault(answer, entry.offer); !fault.empty()) {
            return fault;
        }
    }
    const std::string fault = bytes_fault(shim, world_.plugins.bytes_of(answer, entry.about_victims));
    return fault.empty() ? fault : ": " + fault;
}

void Inputs::take_answer(ShimId id, const PluginAnswer& answer) {
    const AskId ask = world_.plugins.asked_with(answer.query);
    if (ask == kNone<AskId> || world_.asks[ask].shim != id) {
        ++answers_ignored_;
        return;
    }
    Shim& shim = world_.shims[id];
    if (const std::string fault = answer_fault(shim, answer, *world_.plugins.of(ask)); !fault.empty()) {
        lifecycle_.unanswered(ask, plugin_names(world_, ask) + fault);
        return;
    }
    const std::uint64_t before = world_.plugins.of(ask)->bytes;
    world_.plugins.answered(ask, answer);
    const PluginTable::Entry& entry = *world_.plugins.of(ask);
    world_.bytes.give_back(shim.bytes, before);
    world_.bytes.add(shim.bytes, entry.bytes);
    lifecycle_.count_queries(id, -1);
    if (world_.asks[ask].state == AskState::asking) {
        lifecycle_.end_asking(ask);
    } else if (answer.verdicts.front() != PluginVerdict::feasible) {
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
