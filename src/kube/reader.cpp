// See reader.h.
#include "kube/reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace bayplan::kube {

namespace {

constexpr std::size_t kFaultsMax = 20;  // of one object: more says nothing more

// "default/web-1", or the name alone; of anything that is no text, "?".
std::string name_of(const Value& root) {
    const Value& name = root["metadata"]["name"];
    const Value& space = root["metadata"]["namespace"];
    std::string text(space.kind() == Value::Kind::text ? space.text() : "");
    text += text.empty() ? "" : "/";
    return text + std::string(name.kind() == Value::Kind::text ? name.text() : "?");
}

// The number at the front of the text, of exactly so many digits; false if there is none.
bool take_digits(std::string_view& text, std::size_t digits, int& value) {
    if (text.size() < digits) {
        return false;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
    const bool taken = error == std::errc() && end == text.data() + digits && value >= 0;
    text.remove_prefix(digits);
    return taken;
}

bool take_letter(std::string_view& text, std::string_view letters) {
    if (text.empty() || letters.find(text.front()) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

// "Z", "+02:00", "-0530"... in seconds east.
std::optional<std::int64_t> offset(std::string_view text) {
    if (text == "Z" || text == "z") {
        return 0;
    }
    const bool west = text.starts_with('-');
    int hours = 0;
    int minutes = 0;
    if (!take_letter(text, "+-") || !take_digits(text, 2, hours)) {
        return std::nullopt;
    }
    take_letter(text, ":");
    if (!take_digits(text, 2, minutes) || !text.empty() || hours > 23 || minutes > 59) {
        return std::nullopt;
    }
    const std::int64_t seconds = hours * 3'600 + minutes * 60;
    return west ? -seconds : seconds;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    const bool sound = take_digits(text, 4, year) && take_letter(text, "-") && take_digits(text, 2, month) &&
                       take_letter(text, "-") && take_digits(text, 2, day) && take_letter(text, "Tt ") &&
                       take_digits(text, 2, hour) && take_letter(text, ":") && take_digits(text, 2, minute) &&
                       take_letter(text, ":") && take_digits(text, 2, second);
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!sound || !date.ok() || hour > 23 || minute > 59 || second > 60) {
        return std::nullopt;
    }
    if (take_letter(text, ".")) {
        while (take_letter(text, "0123456789")) {
        }
    }
    const std::optional<std::int64_t> east = offset(text);
    if (!east) {
        return std::nullopt;
    }
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return days * 86'400 + hour * 3'600 + minute * 60 + second - *east;
}

Reader::Reader(const Value& root, std::string file, std::string_view kind)
    : root_(root), file_(std::move(file)), object_(std::string(kind) + " " + name_of(root)) {}

bool Reader::is(const Value& value, Value::Kind kind) {
    if (value.kind() == kind || !value.present()) {
        return value.present();
    }
    fault(value, "is " + std::string(kind_name(value.kind())) + ", not " + std::string(kind_name(kind)));
    return false;
}

std::string_view Reader::text(const Value& value) {
    return is(value, Value::Kind::text) ? value.text() : std::string_view();
}

bool Reader::flag(const Value& value) { return is(value, Value::Kind::boolean) && value.text() == "true"; }

std::int64_t Reader::integer(const Value& value, std::int64_t fallback, std::int64_t low, std::int64_t high) {
    if (!is(value, Value::Kind::number)) {
        return fallback;
    }
    std::int64_t number = 0;
    const std::string_view text = value.text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        fault(value, "'" + std::string(text) + "' is no whole number");
        return fallback;
    }
    if (number < low || number > high) {
        fault(value, std::string(text) + " is not between " + std::to_string(low) + " and " + std::to_string(high));
        return fallback;
    }
    return number;
}

std::optional<Quantity> Reader::quantity(const Value& value) {
    if (!value.present() || (value.kind() != Value::Kind::number && !is(value, Value::Kind::text))) {
        return std::nullopt;
    }
    std::string why;
    const std::optional<Quantity> quantity = parse_quantity(value.text(), why);
    if (!quantity) {
        fault(value, why);
    }
    return quantity;
}

std::span<const Value> Reader::items(const Value& value) {
    return is(value, Value::Kind::list) ? value.items() : std::span<const Value>();
}

const Value& Reader::item_named(const Value& list, std::string_view name) {
    static const Value kNone;
    const auto all = items(list);
    const auto found = std::ranges::find_if(all, [&](const Value& item) { return item["name"].text() == name; });
    return found == all.end() ? kNone : *found;
}

std::span<const Member> Reader::members(const Value& value) {
    return is(value, Value::Kind::object) ? value.members() : std::span<const Member>();
}

std::int64_t Reader::seconds(const Value& value, std::int64_t fallback) {
    if (!is(value, Value::Kind::text)) {
        return fallback;
    }
    const std::optional<std::int64_t> time = parse_time(value.text());
    if (!time) {
        fault(value, "'" + std::string(value.text()) + "' is no time like 2026-01-31T12:00:00Z");
    }
    return time.value_or(fallback);
}

std::string_view Reader::needed(const Value& parent, std::string_view name) {
    const Value& value = parent[name];
    if (value.present()) {
        const std::string_view read = text(value);
        if (value.kind() == Value::Kind::text && read.empty()) {
            fault(value, "must not be empty");
        }
        return read;
    }
    fault_below(parent, name, "is missing");
    return {};
}

void Reader::fault(const Value& where, std::string what) { note(path_to(root_, where), std::move(what), true); }

void Reader::fault_below(const Value& where, std::string_view name, std::string what) {
    std::string path = path_to(root_, where);
    path += path.empty() ? "" : ".";
    note(path + std::string(name), std::move(what), true);
}

void Reader::remark(const Value& where, std::string what) { note(path_to(root_, where), std::move(what), false); }

void Reader::note(std::string path, std::string what, bool dropped) {
    sound_ = sound_ && !dropped;
    const auto same = [&](const ObjectFault& fault) { return fault.path == path && fault.what == what; };
    // A field may be read twice (containers: for images and for requests) and is wrong once.
    if (faults_.size() < kFaultsMax && std::none_of(faults_.begin(), faults_.end(), same)) {
        faults_.push_back({file_, object_, std::move(path), std::move(what), dropped});
    }
}

}  // namespace bayplan::kube
