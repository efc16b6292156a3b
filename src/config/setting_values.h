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

// Which member of an `Owner` holds the value. A pointer to a function (+): std::function is compiled once for all of them.
#define MEMBER(Owner, path)                                                                            \
    ::bayplan::config::Member<Owner, std::remove_reference_t<decltype(std::declval<Owner&>().path)>> { \
        +[](Owner & owner) -> auto& {                                                                  \
            return owner.path;                                                                         \
        }                                                                                              \
    }

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
template <class Owner, class Value, class Read, class Print>
Setting<Owner> value(std::string_view name, Member<Owner, Value> member, std::string bounds, std::string_view doc,
                     Read read, Print print) {
    Setting<Owner> setting;
    setting.name = name;
    setting.doc = doc;
    setting.bounds = std::move(bounds);
    setting.read = [member, read](Owner& owner, const YamlNode& node, const std::string& path, ReadContext& context) {
        if (auto result = read(node, path, context)) {
            member(owner) = static_cast<Value>(std::move(*result));
        }
    };
    setting.print = [member, print](const Owner& owner, int) { return print(member(owner)); };
    return setting;
}

template <class Owner, class Value>
Setting<Owner> number(std::string_view name, Member<Owner, Value> member, NumberForm form, Bounds bounds,
                      const std::string& what, std::string_view doc) {
    return value(
        name, member, bounds_text(form, bounds, what), doc,
        [form, bounds](const YamlNode& node, const std::string& path, ReadContext& context) {
            return read_number(node, path, form, bounds, context);
        },
        [form](auto number) { return print_number(static_cast<std::int64_t>(number), form); });
}

// A duration that its owner keeps in milliseconds.
template <class Owner, class Value>
Setting<Owner> milliseconds(std::string_view name, Member<Owner, Value> member, Bounds bounds_ns,
                            std::string_view doc) {
    constexpr std::int64_t kPerMillisecond = 1'000'000;
    return value(
        name, member, bounds_text(NumberForm::duration, bounds_ns, ""), doc,
        [bounds_ns](const YamlNode& node, const std::string& path, ReadContext& context) {
            auto number = read_number(node, path, NumberForm::duration, bounds_ns, context);
            if (number) *number /= kPerMillisecond;
            return number;
        },
        [](auto number) { return print_number(std::int64_t{number} * kPerMillisecond, NumberForm::duration); });
}

template <class Owner, class Value>
Setting<Owner> text(std::string_view name, Member<Owner, Value> member, std::string_view what, std::string_view doc) {
    return value(
        name, member, std::string(what), doc,
        [wanted = std::string(what)](const YamlNode& node, const std::string& path, ReadContext& context) {
            return read_text(node, path, wanted, context);
        },
        print_text);
}

template <class Owner, class Value>
Setting<Owner> ip_address(std::string_view name, Member<Owner, Value> member, IpVersion version, std::string_view doc) {
    return value(
        name, member, std::string(to_string(version)), doc,
        [version](const YamlNode& node, const std::string& path, ReadContext& context) {
            return read_ip(node, path, version, context);
        },
        [](const std::string& address) {
            return address.find(':') == std::string::npos ? address : yaml_text(address);
        });
}

template <class Owner, class Value>
Setting<Owner> input_file(std::string_view name, Member<Owner, Value> member, std::string_view doc) {
    return value(name, member, "a file", doc, read_input_file, print_text);
}

template <class Owner, class Value>
Setting<Owner> output_file(std::string_view name, Member<Owner, Value> member, std::string_view doc) {
    return value(name, member, "a file to be written", doc, read_output_file, print_text);
}

template <class Owner, class Value>
Setting<Owner> texts(std::string_view name, Member<Owner, Value> member, std::string_view doc) {
    return value(name, member, "a text or a list of texts", doc, read_texts, print_texts);
}

template <class Owner, class Value>
Setting<Owner> cpus(std::string_view name, Member<Owner, Value> member, std::string_view doc) {
    return value(name, member, "CPUs such as 0-3,5, or a list of these, one entry per thread", doc, read_cpus,
                 print_cpus);
}

template <class Meaning>
using Choices = std::vector<std::pair<std::string_view, Meaning>>;

// `former`: names of earlier releases. They are read, and neither printed nor offered.
template <class Owner, class Value, class Meaning>
Setting<Owner> choice(std::string_view name, Member<Owner, Value> member, const Choices<Meaning>& choices,
                      std::string_view doc, const Choices<Meaning>& former = {}) {
    std::vector<std::string_view> names;
    for (const auto& [choice_name, meaning] : choices) names.push_back(choice_name);
    return value(
        name, member, choices_text(names), doc,
        [choices, names, former](const YamlNode& node, const std::string& path, ReadContext& context) {
            for (const auto& [former_name, meaning] : former) {
                if (node.text == former_name) return std::optional<Meaning>(meaning);
            }
            const std::size_t index = read_choice(node, path, names, context);
            return index == choices.size() ? std::nullopt : std::optional<Meaning>(choices[index].second);
        },
        [choices](Value value) {
            for (const auto& [choice_name, meaning] : choices) {
                if (meaning == value) return std::string(choice_name);
            }
            return std::string();
        });
}

}  // namespace bayplan::config
