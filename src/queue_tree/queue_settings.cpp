// Properties to settings.
//
// Thread: any.
#include "queue_tree/queue_settings.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "config/percent.h"
#include "queue_config/characters.h"

namespace bayplan::queue_tree {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kPriorityPolicy = "priority.policy";
constexpr std::string_view kPriorityOffset = "priority.offset";
constexpr std::string_view kPreemptionPolicy = "preemption.policy";

std::string value_of(const Properties& properties, std::string_view name) {
    const auto found = properties.find(name);
    return found == properties.end() ? "" : queue_config::lower_case(found->second);
}

template <typename Number>
Number number_of(const Properties& properties, std::string_view name, Number otherwise) {
    const std::string text = value_of(properties, name);
    std::string_view digits = text;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? value : otherwise;
}

std::optional<double> unit_in_ms(std::string_view unit) {
    if (unit == "h") return 3'600'000.0;
    if (unit == "m") return 60'000.0;
    if (unit == "s") return 1'000.0;
    if (unit == "ms") return 1.0;
    if (unit == "us" || unit == "\xC2\xB5s" || unit == "\xCE\xBCs") return 1e-3;
    if (unit == "ns") return 1e-6;
    return std::nullopt;
}

// Go's durations that are not negative: "1h30m", "1.5s", "0s".
std::optional<milliseconds> stated_duration(const Properties& properties, std::string_view name) {
    const std::string text = value_of(properties, name);
    std::string_view rest = text;
    double sum = 0;
    while (!rest.empty()) {
        double amount = 0;
        const auto [end, error] =
            std::from_chars(rest.data(), rest.data() + rest.size(), amount, std::chars_format::fixed);
        if (error != std::errc() || std::signbit(amount)) return std::nullopt;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        const std::size_t size = std::min(rest.find_first_of("0123456789."), rest.size());
        const std::optional<double> unit = unit_in_ms(rest.substr(0, size));
        if (!unit) return std::nullopt;
        sum += amount * *unit;
        rest.remove_prefix(size);
    }
    constexpr double kLongest = 9.2e12;  // milliseconds that a duration in nanoseconds can hold
    return !text.empty() && sum < kLongest ? std::optional(milliseconds(static_cast<std::int64_t>(std::ceil(sum))))
                                           : std::nullopt;
}

// Above zero.
milliseconds duration_of(const Properties& properties, std::string_view name, milliseconds otherwise) {
    const std::optional<milliseconds> stated = stated_duration(properties, name);
    return stated && stated->count() > 0 ? *stated : otherwise;
}

// --- DaemonSet pods

std::optional<std::int64_t> stated_ns(const Properties& properties, std::string_view name) {
    const std::optional<milliseconds> stated = stated_duration(properties, name);
    return stated ? std::optional(std::chrono::nanoseconds(*stated).count()) : std::nullopt;
}

std::optional<std::int64_t> delay_ns_of(const Properties& properties) {
    if (properties.contains("preemption_start_delay")) return stated_ns(properties, "preemption_start_delay");
    const std::optional<std::int64_t> of_yunikorn = stated_ns(properties, "preemption.delay");
    return of_yunikorn && *of_yunikorn > 0 ? of_yunikorn : std::nullopt;
}

std::optional<VictimStrategies> victim_strategies_of(const Properties& properties) {
    constexpr std::string_view kName = "preemption_victim_pods_selection_strategy";
    const std::string text =
        value_of(properties, properties.contains(kName) ? kName : "preemption_victim_poselection_strategy");
    for (const VictimStrategiesName& one : kVictimStrategies) {
        if (text == one.name) return one.strategies;
    }
    return std::nullopt;
}

DaemonsetProperties daemonset_properties_of(const Properties& properties) {
    const auto max = number_of<std::uint32_t>(properties, "preemption_multiple_victims_max", 0);
    return {.delay_ns = delay_ns_of(properties),
            .expiry_ns = stated_ns(properties, "reservation_expiry"),
            .strategies = victim_strategies_of(properties),
            .single_deviation = config::parse_percent(value_of(properties, "preemption_single_victim_deviation")),
            .multiple_max = max > 0 ? std::optional(max) : std::nullopt};
}

}  // namespace

QueueSettings settings_of(const Properties& properties) {
    QueueSettings settings;
    if (value_of(properties, "application.sort.policy") == "fair") settings.sort_policy = SortPolicy::fair;
    settings.sort_priority = value_of(properties, "application.sort.priority") != "disabled";
    settings.priority_fence = value_of(properties, kPriorityPolicy) == "fence";
    settings.priority_offset = number_of<std::int32_t>(properties, kPriorityOffset, 0);
    const std::string preemption = value_of(properties, kPreemptionPolicy);
    if (preemption == "fence") settings.preemption_policy = PreemptionPolicy::fence;
    if (preemption == "disabled") settings.preemption_policy = PreemptionPolicy::disabled;
    settings.preemption_delay = duration_of(properties, "preemption.delay", settings.preemption_delay);
    settings.quota_preemption_delay = duration_of(properties, "quota.preemption.delay", milliseconds(0));
    settings.unschedulable_backoff = number_of<std::uint64_t>(properties, "application.unschedasks.backoff", 0);
    settings.unschedulable_backoff_delay =
        duration_of(properties, "application.unschedasks.backoff.delay", settings.unschedulable_backoff_delay);
    settings.daemonset = daemonset_properties_of(properties);
    return settings;
}

Properties inherited(const Properties& of_parent, const Properties& own) {
    Properties all = own;
    for (const auto& [name, value] : of_parent) {
        if (name == kPriorityPolicy || name == kPriorityOffset) {
            all.emplace(name, name == kPriorityOffset ? "0" : "default");
        } else if (name == kPreemptionPolicy && queue_config::lower_case(value) != "disabled") {
            all.emplace(name, "default");
        } else {
            all.emplace(name, value);
        }
    }
    return all;
}

}  // namespace bayplan::queue_tree
