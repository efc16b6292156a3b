// The settings that a DaemonSet pod's reservation goes by: of its queue where that states any, else the engine's:
// rules/daemonsets.md, R-DAEMONSET-48 on.
//
// Thread and errors: see oracle.h.
#include <cmath>
#include <cstdlib>
#include <map>

#include "oracle.h"
#include "oracle_guarantees.h"

namespace bayplan::oracle {

namespace {

using Stated = std::map<std::string, std::string, std::less<>>;

std::optional<std::string> property_text(const Stated& properties, const std::string& name) {
    const auto found = properties.find(name);
    return found == properties.end() ? std::nullopt : std::optional(found->second);
}

// `1m30s`, `0.5s`, `20ms`; nothing if it is no such text.
std::optional<std::int64_t> nanoseconds_in(const std::string& text) {
    static const std::map<std::string, double> units = {{"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}};
    double sum = 0;
    const char* rest = text.c_str();
    while (*rest != '\0') {
        char* end = nullptr;
        const double amount = std::strtod(rest, &end);
        if (end == rest || amount < 0) {
            return std::nullopt;
        }
        std::string unit;
        for (rest = end; *rest >= 'a' && *rest <= 'z'; ++rest) {
            unit += *rest;
        }
        if (!units.contains(unit)) {
            return std::nullopt;
        }
        sum += amount * units.at(unit);
    }
    return text.empty() ? std::nullopt : std::optional(static_cast<std::int64_t>(std::ceil(sum / 1e6)) * 1'000'000);
}

std::optional<std::int64_t> whole_number_in(const std::optional<std::string>& text) {
    if (!text || text->empty() || text->find_first_not_of("0123456789") != std::string::npos) {
        return std::nullopt;
    }
    return std::atoll(text->c_str());
}

void take_stated(const std::optional<std::int64_t>& stated, std::int64_t& setting) {
    setting = stated.value_or(setting);
}

void take_strategies(const std::string& text, VictimStrategies& strategies) {
    if (text == "single,multiple") {
        strategies = VictimStrategies::single_multiple;
    } else if (text == "multiple,single") {
        strategies = VictimStrategies::multiple_single;
    } else if (text == "single") {
        strategies = VictimStrategies::single;
    } else if (text == "multiple") {
        strategies = VictimStrategies::multiple;
    }
}

}  // namespace

std::optional<std::int64_t> duration_in(const std::string& text) { return nanoseconds_in(text); }

DaemonsetOptions Oracle::daemonset_settings(const Ask& ask) const {
    if (!ask.reserved_node.empty()) {
        return ask.reserved_by;
    }
    DaemonsetOptions settings = options_.preemption.daemonset;
    const auto application = queues_.applications.find({ask.shim, ask.application});
    if (!options_.queues || application == queues_.applications.end()) {
        return settings;
    }
    const Stated properties = queues_.tree.queues.at(application->second.leaf).config.properties;
    const auto own = property_text(properties, "preemption_start_delay");
    const auto of_yunikorn = property_text(properties, "preemption.delay");
    if (own) {
        take_stated(nanoseconds_in(*own), settings.delay_ns);
    } else if (of_yunikorn && nanoseconds_in(*of_yunikorn).value_or(0) > 0) {
        take_stated(nanoseconds_in(*of_yunikorn), settings.delay_ns);
    }
    take_stated(nanoseconds_in(property_text(properties, "reservation_expiry").value_or("")), settings.expiry_ns);
    take_strategies(property_text(properties, "preemption_victim_pods_selection_strategy").value_or(""),
                    settings.strategies);
    // Histories state whole percents.
    if (const auto percent = whole_number_in(property_text(properties, "preemption_single_victim_deviation"))) {
        settings.single_deviation = *percent * kPercent;
    }
    if (const auto most = whole_number_in(property_text(properties, "preemption_multiple_victims_max"));
        most.value_or(0) > 0) {
        settings.multiple_max = static_cast<std::uint32_t>(*most);
    }
    return settings;
}

}  // namespace bayplan::oracle
