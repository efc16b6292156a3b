// See rest_compare.h.
#include "rest_compare.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace bayplan::conformance {
namespace {

namespace json = boost::json;

// Fields that tell an object from its neighbours. Rules, checks and log entries have an order, so their names are none.
constexpr std::array kIds = {"applicationID", "allocationKey", "nodeID",        "queuename",
                             "userName",      "groupName",     "taskGroupName", "queuePath"};
// Headers that must not be there where the example has them not.
constexpr std::array kTold = {"Access-Control-Allow-Origin",
                              "Access-Control-Allow-Methods",
                              "Allow",
                              "Content-Encoding",
                              "Content-Type",
                              "Location"};
// Depends on how often a cycle looked at the ask.
constexpr std::string_view kCountOfAttempts = "/allocationLog/*/count";
// Counted by YuniKorn, though its only ask is reserved and not allocated.
constexpr std::string_view kReservedOnly = "app-big";
constexpr std::string_view kAccepted = "allocatingAcceptedApps";

using Place = std::vector<std::string>;

std::string text_of(const Place& place) {
    std::string text;
    for (const std::string& part : place) text += "/" + part;
    return text.empty() ? "the body" : text;
}

Place parts_of(std::string_view pointer) {
    Place parts;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        parts.emplace_back(pointer.substr(0, end));
        pointer.remove_prefix(end);
    }
    return parts;
}

bool fits(const Place& pattern, const Place& place) {
    return std::ranges::equal(pattern, place,
                              [](const std::string& a, const std::string& b) { return a == "*" || a == b; });
}

bool ends_with(const Place& place, const Place& pattern) {
    return place.size() >= pattern.size() &&
           fits(pattern, Place(place.end() - static_cast<std::ptrdiff_t>(pattern.size()), place.end()));
}

class Comparison {
public:
    explicit Comparison(const json::array& volatile_places) {
        for (const json::value& place : volatile_places) volatile_.push_back(parts_of(std::string(place.as_string())));
    }

    std::string values(const json::value& wanted, const json::value& found) {
        if (std::ranges::any_of(volatile_, [this](const Place& pattern) { return fits(pattern, place_); })) return {};
        if (ends_with(place_, parts_of(kCountOfAttempts))) return {};
        if (wanted.is_object() && found.is_object()) return objects(wanted.get_object(), found.get_object());
        if (wanted.is_array() && found.is_array()) return arrays(wanted.get_array(), found.get_array());
        if (wanted.is_number() && found.is_number()) {
            if (wanted == found || wanted.to_number<double>() == found.to_number<double>()) return {};
        } else if (wanted == found) {
            return {};
        }
        return fmt::format("{} is {}, not {}", text_of(place_), json::serialize(found), json::serialize(wanted));
    }

private:
    // A list of whom YuniKorn counts wrongly and of nobody else: without them it is empty, and empty lists are left out.
    static bool names_reserved_only(std::string_view name, const json::value& value) {
        return name == kAccepted && value.is_array() && !value.get_array().empty() &&
               std::ranges::all_of(value.get_array(), [](const json::value& one) {
                   return one == json::value(json::string_view(kReservedOnly));
               });
    }

    std::string objects(const json::object& wanted, const json::object& found) {
        for (const auto& [name, value] : wanted) {
            const json::value* other = found.if_contains(name);
            if (other == nullptr && names_reserved_only(name, value)) continue;
            place_.emplace_back(name);
            const std::string difference = other ? values(value, *other) : text_of(place_) + " is missing";
            place_.pop_back();
            if (!difference.empty()) return difference;
        }
        for (const auto& [name, value] : found) {
            if (wanted.contains(name)) continue;
            return fmt::format("{} has {} too: {}", text_of(place_), std::string_view(name), json::serialize(value));
        }
        return {};
    }

    std::string arrays(const json::array& wanted, const json::array& found) {
        const std::vector<const json::value*> one = in_order(wanted);
        const std::vector<const json::value*> other = in_order(found);
        if (one.size() != other.size()) {
            return fmt::format("{} has {} entries, not {}", text_of(place_), other.size(), one.size());
        }
        for (std::size_t at = 0; at < one.size(); ++at) {
            place_.push_back(std::to_string(at));
            const std::string difference = values(*one[at], *other[at]);
            place_.pop_back();
            if (!difference.empty()) return difference;
        }
        return {};
    }

    // By id where entries have one, by itself if it is a text; else as it is.
    std::vector<const json::value*> in_order(const json::array& array) const {
        std::vector<const json::value*> values;
        const bool accepted = !place_.empty() && place_.back() == kAccepted;
        for (const json::value& value : array) {
            if (!accepted || value != json::value(json::string_view(kReservedOnly))) values.push_back(&value);
        }
        const auto key = [&array](const json::value& value) -> std::optional<std::string> {
            if (value.is_string()) return std::string(value.get_string());
            for (const char* id : kIds) {
                if (!value.is_object() || !value.get_object().contains(id)) continue;
                return json::serialize(value.get_object().at(id));
            }
            return std::nullopt;
        };
        if (!std::ranges::all_of(array, [&](const json::value& value) { return key(value).has_value(); }))
            return values;
        std::ranges::stable_sort(values, {}, [&](const json::value* value) { return key(*value); });
        return values;
    }

    std::vector<Place> volatile_;
    Place place_;
};

std::string compare_headers(const json::object& wanted, const http::Answer& found) {
    for (const auto& [name, value] : wanted) {
        const std::string other = found.header(name);
        if (other != std::string_view(value.as_string())) {
            return fmt::format("{} is '{}', not {}", std::string_view(name), other, json::serialize(value));
        }
    }
    for (const char* name : kTold) {
        if (!wanted.contains(name) && found.has(name)) return fmt::format("there is {}: {}", name, found.header(name));
    }
    return {};
}

// Samples of metrics: series to value. Without the two that YuniKorn counts wrongly.
std::map<std::string, std::string> samples_of(std::string_view text) {
    std::map<std::string, std::string> samples;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const bool wrong = line.starts_with("yunikorn_queue_app{queue=\"\"") ||
                           line.substr(0, line.find('{')).ends_with("_queue_container");
        const std::size_t value = line.rfind(' ');
        if (line.empty() || line.front() == '#' || wrong || value == std::string_view::npos) continue;
        samples.emplace(line.substr(0, value), line.substr(value + 1));
    }
    return samples;
}

// Numbers by value: Go writes 1.05e+10.
std::string compare_samples(std::string_view wanted, std::string_view found) {
    const std::map<std::string, std::string> ours = samples_of(found);
    for (const auto& [series, value] : samples_of(wanted)) {
        const auto other = ours.find(series);
        const bool is_zero = value == "0";  // YuniKorn goes on showing what is not there any more
        if (other == ours.end() && !is_zero) return fmt::format("a sample is missing: {} {}", series, value);
        if (other == ours.end() || value == "<volatile>") continue;
        if (std::stod(value) != std::stod(other->second)) {
            return fmt::format("{} is {}, not {}", series, other->second, value);
        }
    }
    return {};
}

std::string compare_body(const json::object& example, const std::string& body) {
    static const json::array kNone;
    if (example.at("path").as_string() == "/ws/v1/metrics") {
        return compare_samples(std::string_view(example.at("bodyText").as_string()), body);
    }
    if (const json::value* text = example.if_contains("bodyText")) {
        const std::string wanted(text->as_string());
        return body == wanted ? "" : fmt::format("the body is {}, not {}", body.substr(0, 200), wanted.substr(0, 200));
    }
    const json::value* places = example.if_contains("volatile");
    json::error_code fault;
    const json::value found = json::parse(body, fault);
    if (fault) return "the body is no JSON: " + body.substr(0, 200);
    if (!body.ends_with('\n')) return "the body does not end its line";
    return compare_json(example.at("body"), found, places ? places->as_array() : kNone);
}

}  // namespace

std::string compare_json(const json::value& wanted, const json::value& found, const json::array& volatile_places) {
    return Comparison(volatile_places).values(wanted, found);
}

std::string compare_answer(const json::object& example, const http::Answer& found, const json::object* whole) {
    const std::int64_t status = example.at("status").as_int64();
    if (found.status != status) return fmt::format("the status is {}, not {}", found.status, status);
    std::string difference = compare_headers(example.at("headers").as_object(), found);
    if (!difference.empty()) return difference;
    if (example.at("method").as_string() == "HEAD") {  // the example has the body that is not sent
        const std::string length = std::to_string(example.at("bodyText").as_string().size());
        return found.header("Content-Length") == length ? "" : "Content-Length is not " + length;
    }
    if (!found.has("Content-Encoding")) return compare_body(example, found.body);
    if (whole == nullptr) return "there is no example that says what is compressed";
    try {
        return compare_body(*whole, http::gunzip(found.body));
    } catch (const std::exception& fault) {
        return fault.what();
    }
}

}  // namespace bayplan::conformance
