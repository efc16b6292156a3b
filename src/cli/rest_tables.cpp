// See rest_tables.h.
#include "cli/rest_tables.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <span>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace bayplan::cli {

namespace {

namespace json = boost::json;

const json::value* member(const json::value& of, std::string_view name) {
    return of.is_object() ? of.as_object().if_contains(name) : nullptr;
}

std::string text_of(const json::value& of, std::string_view name) {
    const json::value* const found = member(of, name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::int64_t number_of(const json::value* value) {
    if (value == nullptr) return 0;
    if (value->is_int64()) return value->as_int64();
    return value->is_uint64() ? static_cast<std::int64_t>(value->as_uint64()) : 0;
}

std::int64_t number_of(const json::value& of, std::string_view name) { return number_of(member(of, name)); }

std::size_t count_of(const json::value& of, std::string_view name) {
    const json::value* const found = member(of, name);
    return found != nullptr && found->is_array() ? found->as_array().size() : 0;
}

bool is(const json::value& of, std::string_view name) {
    const json::value* const found = member(of, name);
    return found != nullptr && found->is_bool() && found->as_bool();
}

std::string bytes_text(std::int64_t bytes) {
    constexpr const char* kUnits[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 || value <= -1024) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{}", bytes) : fmt::format("{:.1f}{}", value, kUnits[unit]);
}

std::string amount_text(std::string_view resource, std::int64_t amount) {
    if (resource == "vcore") return fmt::format("{:g} vcore", static_cast<double>(amount) / 1000);
    if (resource == "memory") return bytes_text(amount);
    return fmt::format("{} {}", amount, resource);
}

// The highest percentage of any resource.
std::string highest(const json::value* percents) {
    if (percents == nullptr || !percents->is_object()) return {};
    std::int64_t most = 0;
    for (const auto& each : percents->as_object()) most = std::max(most, number_of(&each.value()));
    return fmt::format("{}%", most);
}

void add_queue(terminal::Table& table, const json::value& queue) {
    table.row({text_of(queue, "queuename"), text_of(queue, "status"),
               fmt::format("{}", number_of(queue, "runningApps")), highest(member(queue, "absUsedCapacity")),
               amounts_text(member(queue, "allocatedResource")), amounts_text(member(queue, "pendingResource")),
               amounts_text(member(queue, "maxResource")), amounts_text(member(queue, "guaranteedResource"))});
    const json::value* const children = member(queue, "children");
    if (children == nullptr || !children->is_array()) return;
    for (const json::value& child : children->as_array()) add_queue(table, child);
}

// The latest reason of the first request that has one.
std::string reason_of(const json::value& application) {
    const json::value* const requests = member(application, "requests");
    if (requests == nullptr || !requests->is_array()) return {};
    for (const json::value& request : requests->as_array()) {
        const json::value* const log = member(request, "allocationLog");
        if (log == nullptr || !log->is_array() || log->as_array().empty()) continue;
        return text_of(log->as_array().back(), "message");
    }
    return {};
}

std::string time_text(std::int64_t time_ns) {
    const std::time_t seconds = time_ns / 1'000'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, time_ns / 1'000'000 % 1'000);
}

// Nothing in it that a terminal obeys.
std::string printable(std::string_view text) {
    std::string shown(text);
    for (char& byte : shown) {
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = '?';
    }
    return shown;
}

}  // namespace

std::string amounts_text(const json::value* resources) {
    std::string text;
    if (resources == nullptr || !resources->is_object()) return text;
    const json::object& all = resources->as_object();
    const auto add = [&](std::string_view name, std::int64_t amount) {
        text += (text.empty() ? "" : ", ") + amount_text(name, amount);
    };
    for (const std::string_view first : {"vcore", "memory"}) {
        if (const json::value* const amount = all.if_contains(first)) add(first, number_of(amount));
    }
    for (const auto& each : all) {
        if (each.key() != "vcore" && each.key() != "memory") add(each.key(), number_of(&each.value()));
    }
    return text;
}

terminal::Table queue_table(const json::value& root) {
    terminal::Table table({{"QUEUE"},
                           {"STATE"},
                           {"RUNNING", true},
                           {"FULL", true},
                           {"USED"},
                           {"PENDING"},
                           {"MAX", false, true},
                           {"GUARANTEED", false, true}});
    add_queue(table, root);
    return table;
}

terminal::Table node_table(const json::value& nodes) {
    terminal::Table table({{"NODE"},
                           {"STATE"},
                           {"PODS", true},
                           {"OTHERS", true},
                           {"FULL", true},
                           {"USED"},
                           {"AVAILABLE"},
                           {"CAPACITY", false, true}});
    if (!nodes.is_array()) return table;
    for (const json::value& node : nodes.as_array()) {
        table.row({text_of(node, "nodeID"), is(node, "schedulable") ? "active" : "draining",
                   fmt::format("{}", count_of(node, "allocations")),
                   fmt::format("{}", count_of(node, "foreignAllocations")), highest(member(node, "utilized")),
                   amounts_text(member(node, "allocated")), amounts_text(member(node, "available")),
                   amounts_text(member(node, "capacity"))});
    }
    return table;
}

terminal::Table application_table(const json::value& applications) {
    terminal::Table table({{"APPLICATION"},
                           {"STATE"},
                           {"QUEUE"},
                           {"PODS", true},
                           {"WAITING", true},
                           {"USED", false, true},
                           {"USER", false, true},
                           {"REASON"}});
    if (!applications.is_array()) return table;
    for (const json::value& application : applications.as_array()) {
        table.row({text_of(application, "applicationID"), text_of(application, "applicationState"),
                   text_of(application, "queueName"), fmt::format("{}", count_of(application, "allocations")),
                   fmt::format("{}", count_of(application, "requests")),
                   amounts_text(member(application, "usedResource")), text_of(application, "user"),
                   reason_of(application)});
    }
    return table;
}

std::string pod_lines(const json::value& found) {
    std::string lines;
    const auto line = [&](std::string_view name, std::string_view text) {
        if (!text.empty()) lines += fmt::format("{:<12} {}\n", name, printable(text));
    };
    const json::value* const pod = member(found, "pod");
    if (pod == nullptr) return lines;
    const std::int64_t failures = number_of(found, "failures");
    line("pod", text_of(*pod, "allocationKey"));
    line("state", text_of(found, "state") + (failures == 0 ? "" : fmt::format(", {} attempts failed", failures)));
    line("node", text_of(*pod, "nodeId"));
    line("nominated to", text_of(found, "nominatedNode"));
    line("reserved on", text_of(found, "reservedNode"));
    line("asked about", text_of(found, "queriedNode"));
    line("application", text_of(*pod, "applicationId"));
    line("queue", text_of(found, "queue"));
    line("priority", text_of(*pod, "priority"));
    line("wants", amounts_text(member(*pod, "resource")));
    const json::value* const log = member(*pod, "allocationLog");
    if (log == nullptr || !log->is_array()) return lines;
    for (const json::value& entry : log->as_array()) {
        if (text_of(found, "state") == "queried" && text_of(entry, "message").starts_with("waits for ")) {
            line("waits", fmt::format("{} since {}", text_of(entry, "message").substr(std::strlen("waits ")),
                                      time_text(number_of(entry, "lastOccurrence"))));
            continue;
        }
        line("waits", fmt::format("{} ({} times, last {})", text_of(entry, "message"), number_of(entry, "count"),
                                  time_text(number_of(entry, "lastOccurrence"))));
    }
    return lines;
}

std::string event_line(const json::value& event) {
    constexpr std::string_view kTypes[] = {"unknown", "request", "app", "node", "queue", "user-group"};
    constexpr std::string_view kChanges[] = {"", "set", "add", "remove"};
    const auto named = [](std::span<const std::string_view> names, std::int64_t number) {
        const bool known = number >= 0 && static_cast<std::size_t>(number) < names.size();
        return known ? std::string(names[static_cast<std::size_t>(number)]) : fmt::format("{}", number);
    };
    std::string line =
        fmt::format("{}  {:<10}  {:<6}  {:>3}  {}", time_text(number_of(event, "timestampNano")),
                    named(kTypes, number_of(event, "type")), named(kChanges, number_of(event, "eventChangeType")),
                    number_of(event, "eventChangeDetail"), text_of(event, "objectID"));
    for (const char* const name : {"referenceID", "message"}) {
        if (const std::string text = text_of(event, name); !text.empty()) line += "  " + text;
    }
    return printable(line);
}

double metric_sum(std::string_view exposition, std::string_view family) {
    double sum = 0;
    while (!exposition.empty()) {
        const std::size_t end = std::min(exposition.find('\n'), exposition.size() - 1);
        const std::string_view line = exposition.substr(0, end);
        exposition.remove_prefix(end + 1);
        const bool of_it = line.starts_with(family) && line.size() > family.size() &&
                           (line[family.size()] == ' ' || line[family.size()] == '{');
        if (!of_it) continue;
        double value = 0;
        const std::size_t space = line.rfind(' ');
        std::from_chars(line.data() + space + 1, line.data() + line.size(), value);
        sum += value;
    }
    return sum;
}

}  // namespace bayplan::cli
