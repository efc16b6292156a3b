// Builders of settings that hold one value: numbers, sizes, durations, choices, texts, files, CPUs.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/setting.h"
#include "config/units.h"
#include "threads/cpu_set.h"

// A projection to one member, for const and non-const owners alike.
#define MEMBER(path) \
    [](auto& owner) -> auto& { return owner.path; }

namespace bayplan::config {

// --- from text to value, with the fault noted; shared by the builders
std::optional<std::string> read_text(const YamlNode&, const std::string& path, std::string_view wanted, ReadContext&);

enum class NumberForm : std::uint8_t { plain, size, duration };
struct Bounds {
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
};
std::optional<std::int64_t> read_number(const YamlNode&, const std::string& path, NumberForm, Bounds, ReadContext&);
std::string print_number(std::int64_t, NumberForm);
// `what` after a number: "bytes", "asks".
std::string bounds_text(NumberForm, Bounds, const std::string& what);

std::string yaml_text(std::string_view);     // in quotes
std::string print_text(const std::string&);  // the same; "" for an empty text, which means not given
std::optional<std::string> read_input_file(const YamlNode&, const std::string& path, ReadContext&);
std::optional<std::string> read_output_file(const YamlNode&, const std::string& path, ReadContext&);
enum class IpVersion : std::uint8_t { ipv4, ipv6, any };
std::optional<std::string> read_ip(const YamlNode&, const std::string& path, IpVersion, ReadContext&);
std::string_view to_string(IpVersion);  // "an IPv4 address"
std::optional<std::vector<std::string>> read_texts(const YamlNode&, const std::string& path, ReadContext&);
std::string print_texts(const std::vector<std::string>&);
std::optional<std::vector<threads::CpuSet>> read_cpus(const YamlNode&, const std::string& path, ReadContext&);
std::string print_cpus(const std::vector<threads::CpuSet>&);
std::size_t read_choice(const YamlNode&, const std::string& path, const std::vector<std::string_view>& names,
                        ReadContext&);  // names.size() on a fault
std::string choices_text(const std::vector<std::string_view>& names);

// Any single value: how it is read (nothing on a fault) and printed.
template <class Owner, class Projection, class Read, class Print>
Setting<Owner> value(std::string name, Projection member, std::string bounds, std::string doc, Read read, Print print) {
    Setting<Owner> setting;
    setting.name = std::move(name);
    setting.doc = std::move(doc);
    setting.bounds = std::move(bounds);
    setting.read = [member, read](Owner& owner, const YamlNode& node, const std::string& path, ReadContext& context) {
        if (auto result = read(node, path, context)) {
            member(owner) = static_cast<std::decay_t<decltype(member(owner))>>(std::move(*result));
        }
    };
    setting.print = [member, print](const Owner& owner, int) { return print(member(owner)); };
    return setting;
}

template <class Owner, class Projection>
Setting<Owner> number(std::string name, Projection member, NumberForm form, Bounds bounds, const std::string& what,
                      std::string doc) {
    return value<Owner>(
        std::move(name), member, bounds_text(form, bounds, what), std::move(doc),
        [form, bounds](const YamlNode& node, const std::string& path, ReadContext& context) {
            return read_number(node, path, form, bounds, context);
        },
        [form](auto number) { return print_number(static_cast<std::int64_t>(number), form); });
}

// A duration that its owner keeps in milliseconds.
template <class Owner, class Projection>
Setting<Owner> milliseconds(std::string name, Projection member, Bounds bounds_ns, std::string doc) {
    constexpr std::int64_t kPerMillisecond = 1'000'000;
    return value<Owner>(
        std::move(name), member, bounds_text(NumberForm::duration, bounds_ns, ""), std::move(doc),
        [bounds_ns](const YamlNode& node, const std::string& path, ReadContext& context) {
            auto number = read_number(node, path, NumberForm::duration, bounds_ns, context);
            if (number) *number /= kPerMillisecond;
            return number;
        },
        [](auto number) { return print_number(std::int64_t{number} * kPerMillisecond, NumberForm::duration); });
}

template <class Owner, class Projection>
Setting<Owner> text(std::string name, Projection member, const std::string& what, std::string doc) {
    return value<Owner>(
        std::move(name), member, what, std::move(doc),
        [what](const YamlNode& node, const std::string& path, ReadContext& context) {
            return read_text(node, path, what, context);
        },
        print_text);
}

template <class Owner, class Projection>
Setting<Owner> ip_address(std::string name, Projection member, IpVersion version, std::string doc) {
    return value<Owner>(
        std::move(name), member, std::string(to_string(version)), std::move(doc),
        [version](const YamlNode& node, const std::string& path, ReadContext& context) {
            return read_ip(node, path, version, context);
        },
        [](const std::string& address) {
            return address.find(':') == std::string::npos ? address : yaml_text(address);
        });
}

template <class Owner, class Projection>
Setting<Owner> input_file(std::string name, Projection member, std::string doc) {
    return value<Owner>(std::move(name), member, "a file", std::move(doc), read_input_file, print_text);
}

template <class Owner, class Projection>
Setting<Owner> output_file(std::string name, Projection member, std::string doc) {
    return value<Owner>(std::move(name), member, "a file to be written", std::move(doc), read_output_file, print_text);
}

template <class Owner, class Projection>
Setting<Owner> texts(std::string name, Projection member, std::string doc) {
    return value<Owner>(std::move(name), member, "a text or a list of texts", std::move(doc), read_texts, print_texts);
}

template <class Owner, class Projection>
Setting<Owner> cpus(std::string name, Projection member, std::string doc) {
    return value<Owner>(std::move(name), member, "CPUs such as 0-3,5, or a list of these, one entry per thread",
                        std::move(doc), read_cpus, print_cpus);
}

template <class Value>
using Choices = std::vector<std::pair<std::string_view, Value>>;

// `former`: names of earlier releases. They are read, and neither printed nor offered.
template <class Owner, class Projection, class Value>
Setting<Owner> choice(std::string name, Projection member, const Choices<Value>& choices, std::string doc,
                      const Choices<Value>& former = {}) {
    std::vector<std::string_view> names;
    for (const auto& [choice_name, meaning] : choices) names.push_back(choice_name);
    return value<Owner>(
        std::move(name), member, choices_text(names), std::move(doc),
        [choices, names, former](const YamlNode& node, const std::string& path, ReadContext& context) {
            for (const auto& [former_name, meaning] : former) {
                if (node.text == former_name) return std::optional<Value>(meaning);
            }
            const std::size_t index = read_choice(node, path, names, context);
            return index == choices.size() ? std::nullopt : std::optional<Value>(choices[index].second);
        },
        [choices](Value value) {
            for (const auto& [choice_name, meaning] : choices) {
                if (meaning == value) return std::string(choice_name);
            }
            return std::string();
        });
}

}  // namespace bayplan::config
