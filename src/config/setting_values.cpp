// Values out of YAML scalars and lists, each fault with what to write instead.
//
// Thread: any.
#include "config/setting_values.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace bayplan::config {
namespace {

std::string_view example(NumberForm form) {
    switch (form) {
        case NumberForm::plain: return "a whole number";
        case NumberForm::size: return "a whole number such as 4096, 64Ki or 1M";
        case NumberForm::duration: return "a whole number with a unit (ns us ms s m h d) such as 10s";
    }
    return "";
}

std::optional<std::int64_t> parse_number(std::string_view text, NumberForm form) {
    if (form == NumberForm::duration) return parse_duration(text);
    return parse_size(text);
}

// A path as the file means it: relative ones start at the file's own folder.
std::string resolved(const std::string& text, const ReadContext& context) {
    return (context.folder / text).lexically_normal().string();
}

bool check_cpus_usable(const threads::CpuSet& set, const YamlNode& node, const std::string& path,
                       ReadContext& context) {
    const threads::CpuSet missing = set.without(context.host.online);
    if (!missing.empty()) {
        context.fault(node.position, fmt::format("'{}': CPU {} is not on this host", path, missing.to_string()),
                      fmt::format("this host has CPUs {}", context.host.online.to_string()));
        return false;
    }
    const threads::CpuSet denied = set.without(context.host.allowed);
    if (!denied.empty()) {
        context.fault(node.position,
                      fmt::format("'{}': CPU {} may not be used by this process", path, denied.to_string()),
                      fmt::format("its affinity or cpuset allows CPUs {}: widen that, or choose of these",
                                  context.host.allowed.to_string()));
        return false;
    }
    return true;
}

std::optional<threads::CpuSet> read_cpu_set(const YamlNode& node, const std::string& path, ReadContext& context) {
    const auto text = read_text(node, path, "CPUs such as 0-3,5", context);
    if (!text) return std::nullopt;
    std::string error;
    const auto set = threads::CpuSet::parse(*text, error);
    if (!set) {
        context.fault(node.position, fmt::format("'{}': {}", path, error), "give CPUs such as 0-3,5");
        return std::nullopt;
    }
    return check_cpus_usable(*set, node, path, context) ? set : std::nullopt;
}

}  // namespace

std::optional<std::string> read_text(const YamlNode& node, const std::string& path, std::string_view wanted,
                                     ReadContext& context) {
    if (node.kind == YamlNode::Kind::scalar && !node.text.empty()) return node.text;
    note_not_a(node, path, wanted, context);
    return std::nullopt;
}

std::optional<std::int64_t> read_number(const YamlNode& node, const std::string& path, NumberForm form, Bounds bounds,
                                        ReadContext& context) {
    const auto text = read_text(node, path, example(form), context);
    if (!text) return std::nullopt;
    const auto number = parse_number(*text, form);
    if (!number) {
        note_not_a(node, path, example(form), context);
        return std::nullopt;
    }
    if (*number < bounds.min || *number > bounds.max) {
        context.fault(node.position, fmt::format("'{}' is {}, which is out of bounds", path, *text),
                      fmt::format("give {} .. {}", print_number(bounds.min, form), print_number(bounds.max, form)));
        return std::nullopt;
    }
    return number;
}

std::string print_number(std::int64_t number, NumberForm form) {
    switch (form) {
        case NumberForm::plain: return fmt::format("{}", number);
        case NumberForm::size: return print_size(number);
        case NumberForm::duration: return print_duration(number);
    }
    return "";
}

std::string bounds_text(NumberForm form, Bounds bounds, const std::string& what) {
    const std::string range = fmt::format("{} .. {}", print_number(bounds.min, form), print_number(bounds.max, form));
    return what.empty() ? range : range + " " + what;
}

std::string yaml_text(std::string_view text) {
    std::string result = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') result += '\\';
        result += letter;
    }
    return result + "\"";
}

std::string print_text(const std::string& text) { return text.empty() ? "" : yaml_text(text); }

std::optional<std::string> read_input_file(const YamlNode& node, const std::string& path, ReadContext& context) {
    const auto text = read_text(node, path, "a file", context);
    if (!text) return std::nullopt;
    std::string file = resolved(*text, context);
    if (access(file.c_str(), R_OK) != 0) {
        context.fault(node.position, fmt::format("'{}': cannot read {}: {}", path, file, std::strerror(errno)),
                      "name a file that this process may read (relative paths start at this file's folder)");
        return std::nullopt;
    }
    return file;
}

std::optional<std::string> read_output_file(const YamlNode& node, const std::string& path, ReadContext& context) {
    const auto text = read_text(node, path, "a file", context);
    if (!text) return std::nullopt;
    std::string file = resolved(*text, context);
    const std::string folder = std::filesystem::path(file).parent_path().string();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
        context.fault(node.position, fmt::format("'{}': cannot write into {}: {}", path, folder, std::strerror(errno)),
                      "name a file in a folder that exists and that this process may write into");
        return std::nullopt;
    }
    return file;
}

std::string_view to_string(IpVersion version) {
    switch (version) {
        case IpVersion::ipv4: return "an IPv4 address";
        case IpVersion::ipv6: return "an IPv6 address";
        case IpVersion::any: return "an IP address";
    }
    return "";
}

std::optional<std::string> read_ip(const YamlNode& node, const std::string& path, IpVersion version,
                                   ReadContext& context) {
    const auto text = read_text(node, path, to_string(version), context);
    if (!text) return std::nullopt;
    in6_addr ignored{};
    const bool is_ipv4 = version != IpVersion::ipv6 && inet_pton(AF_INET, text->c_str(), &ignored) == 1;
    const bool is_ipv6 = version != IpVersion::ipv4 && inet_pton(AF_INET6, text->c_str(), &ignored) == 1;
    if (!is_ipv4 && !is_ipv6) {
        context.fault(node.position, fmt::format("'{}': '{}' is not {}", path, *text, to_string(version)),
                      version == IpVersion::ipv6 ? "give one such as \"fd99::2\", in quotes"
                                                 : "give four numbers such as 10.99.0.2");
        return std::nullopt;
    }
    return text;
}

std::optional<std::vector<std::string>> read_texts(const YamlNode& node, const std::string& path,
                                                   ReadContext& context) {
    std::vector<std::string> result;
    if (node.kind == YamlNode::Kind::scalar) {
        const auto text = read_text(node, path, "a text or a list of texts", context);
        if (!text) return std::nullopt;
        result.push_back(*text);
        return result;
    }
    if (node.kind != YamlNode::Kind::sequence) {
        note_not_a(node, path, "a text or a list of texts", context);
        return std::nullopt;
    }
    for (const YamlNode& item : node.items) {
        if (auto text = read_text(item, fmt::format("{}[{}]", path, &item - node.items.data()), "a text", context)) {
            result.push_back(std::move(*text));
        }
    }
    return result;
}

std::string print_texts(const std::vector<std::string>& texts) {
    std::string result;
    for (const std::string& item : texts) result += (result.empty() ? "" : ", ") + yaml_text(item);
    return "[" + result + "]";
}

std::optional<std::vector<threads::CpuSet>> read_cpus(const YamlNode& node, const std::string& path,
                                                      ReadContext& context) {
    std::vector<threads::CpuSet> result;
    if (node.kind != YamlNode::Kind::sequence) {
        const auto set = read_cpu_set(node, path, context);
        if (!set) return std::nullopt;
        result.push_back(*set);
        return result;
    }
    for (const YamlNode& item : node.items) {
        const auto set = read_cpu_set(item, fmt::format("{}[{}]", path, &item - node.items.data()), context);
        if (set) result.push_back(*set);
    }
    return result;
}

std::string print_cpus(const std::vector<threads::CpuSet>& entries) {
    if (entries.size() == 1) return yaml_text(entries.front().to_string());
    std::string result;
    for (const threads::CpuSet& entry : entries) result += (result.empty() ? "" : ", ") + yaml_text(entry.to_string());
    return entries.empty() ? "" : "[" + result + "]";
}

std::size_t read_choice(const YamlNode& node, const std::string& path, const std::vector<std::string_view>& names,
                        ReadContext& context) {
    const auto text = read_text(node, path, choices_text(names), context);
    if (!text) return names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == *text) return i;
    }
    const std::string_view near = nearest_name(*text, names);
    context.fault(node.position, fmt::format("'{}' is '{}'", path, *text),
                  near.empty() ? fmt::format("give {}", choices_text(names)) : fmt::format("did you mean '{}'?", near));
    return names.size();
}

std::string choices_text(const std::vector<std::string_view>& names) {
    return fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace bayplan::config
