// See daemonset_options.h.
#include "cli/daemonset_options.h"

#include <charconv>
#include <string>

#include "config/percent.h"
#include "sim/virtual_time.h"

namespace bayplan::cli {

namespace {

// `read(text)` gives the value, or nothing.
template <typename Read, typename Take>
void add(CLI::App& app, const std::string& flag, const std::string& type, const std::string& preset,
         const std::string& wanted, const std::string& help, Read read, Take take) {
    app.add_option_function<std::string>(
           flag,
           [=](const std::string& text) {
               const auto value = read(text);
               if (!value) {
                   throw CLI::ValidationError(flag, "`" + text + "` is not " + wanted);
               }
               take(*value);
           },
           help)
        ->type_name(type)
        ->default_str(preset);
}

std::optional<bool> on_or_off(const std::string& text) {
    return text == "on" ? std::optional(true) : text == "off" ? std::optional(false) : std::nullopt;
}

std::optional<VictimStrategies> strategies(const std::string& text) {
    for (const VictimStrategiesName& one : kVictimStrategies) {
        if (text == one.name) {
            return one.strategies;
        }
    }
    return std::nullopt;
}

std::optional<std::uint32_t> count(const std::string& text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> time_ns(const std::string& text) {
    const std::optional<std::int64_t> ms = sim::parse_ms(text);
    return ms ? std::optional(*ms * sim::kNsPerMs) : std::nullopt;
}

}  // namespace

void add_daemonset_options(CLI::App& app, DaemonsetArguments& arguments) {
    DaemonsetOptions& options = arguments.options;
    constexpr const char* kTime = "a time in whole milliseconds (30s, 1.5s)";
    add(app, "--daemonset-preemption", "on|off", "on; off with --compat kubernetes-1.35", "on or off",
        "reserve the node of a DaemonSet pod that is short of resources there, and make room on it", on_or_off,
        [&arguments](bool on) { arguments.enabled = on; });
    add(app, "--preemption-start-delay", "TIME", "30s", kTime, "age from which such a reservation may preempt", time_ns,
        [&options](std::int64_t ns) { options.delay_ns = ns; });
    add(app, "--victim-strategy", "NAMES", "single,multiple",
        "one of single,multiple - multiple,single - single - multiple",
        "how victims for it are chosen; the second is the fall-back of the first", strategies,
        [&options](VictimStrategies order) { options.strategies = order; });
    add(app, "--single-deviation", "PERCENT", "10", "a percentage of 0 or more",
        "how much larger than needed a single victim may be, in percent of what the pod asks for",
        config::parse_percent, [&options](std::int64_t percent) { options.single_deviation = percent; });
    add(app, "--multiple-max", "N", "10", "a whole number of 1 or more", "victims at most", count,
        [&options](std::uint32_t max) { options.multiple_max = max; });
    add(app, "--reservation-expiry", "TIME", "60m", kTime, "age at which a reservation ends; 0s: never", time_ns,
        [&options](std::int64_t ns) { options.expiry_ns = ns; });
    add(app, "--foreign-victims", "on|off", "off", "on or off",
        "let foreign pods be victims like ours, but for static ones", on_or_off,
        [&options](bool on) { options.foreign_victims = on; });
}

}  // namespace bayplan::cli
