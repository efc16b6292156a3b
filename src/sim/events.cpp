// See events.h.
#include "sim/events.h"

#include <algorithm>
#include <optional>

#include "sim/virtual_time.h"

namespace bayplan::sim {

namespace {

using kube::Value;

class EventReader {
public:
    EventReader(kube::ObjectConverter& converter, std::vector<Event>& events, std::vector<kube::ObjectFault>& faults)
        : converter_(converter), events_(events), faults_(faults) {}

    // False: the line is bad.
    bool line(std::string_view text, const std::string& place) {
        place_ = place;
        seen_ = 0;
        const std::size_t before = events_.size();
        const std::size_t faults_before = faults_.size();
        text_.assign(text);
        const std::size_t end = kube::json_length(text_);
        if (text_[text_.find_first_not_of(" \t")] != '{' ||
            text_.find_first_not_of(" \t\r", end) != std::string::npos) {
            fault("", "is not one object");
            return false;
        }
        text_.reserve(text_.size() + kube::kTextPadding);
        kube::read_json(
            text_, place_, [this](const kube::ReadObject& object) { take(object); }, faults_);
        if (faults_.size() == faults_before && seen_ != 1) {
            fault("", "is not one object");
        }
        const bool bad = std::any_of(faults_.begin() + static_cast<std::ptrdiff_t>(faults_before), faults_.end(),
                                     [](const kube::ObjectFault& one) { return one.dropped; });
        if (bad) {
            events_.resize(before);
        }
        return !bad;
    }

private:
    void fault(std::string path, std::string what) {
        faults_.push_back({place_, "", std::move(path), std::move(what)});
    }

    void take(const kube::ReadObject& line) {
        ++seen_;
        for (const kube::Member& member : line.value.members()) {
            if (member.name != "at" && member.name != "apply" && member.name != "delete" && member.name != "now") {
                fault(std::string(member.name), "is no part of an event; at, apply, delete and now are");
            }
        }
        const std::optional<std::int64_t> at = time(line.value["at"]);
        const Value& apply = line.value["apply"];
        const Value& removed = line.value["delete"];
        if (apply.present() == removed.present()) {
            fault("", "has to have either apply or delete");
        } else if (apply.present()) {
            take_object(line, apply, at.value_or(0));
        } else {
            take_removal(removed, line.value["now"], at.value_or(0));
        }
        if (apply.present() && line.value["now"].present()) {
            fault("now", "goes with delete");
        }
    }

    std::optional<std::int64_t> time(const Value& value) {
        if (value.kind() != Value::Kind::text) {
            fault("at", value.present() ? "is no text" : "is missing");
            return std::nullopt;
        }
        const std::optional<std::int64_t> ms = parse_ms(value.text());
        if (!ms) {
            fault("at", "'" + std::string(value.text()) + "' is no time in whole milliseconds (12s, 1.5s, 250ms)");
        } else if (*ms < last_ms_) {
            fault("at", std::string(value.text()) + " is before the line above (" + seconds_text(last_ms_) + ")");
        } else {
            last_ms_ = *ms;
        }
        return ms;
    }

    void take_object(const kube::ReadObject& line, const Value& object, std::int64_t at_ms) {
        if (object.kind() != Value::Kind::object) {
            fault("apply", "is " + std::string(kind_name(object.kind())) + ", not an object");
            return;
        }
        if (object["kind"].text().ends_with("List")) {
            fault("apply", "is a list; one object stands in a line");
            return;
        }
        const kube::ReadObject read{object["kind"].text(), object, line.arena, line.position};
        if (std::optional<kube::NamedObject> made = converter_.convert(read, place_, faults_)) {
            events_.push_back({at_ms, place_, std::move(made->object)});
        }
    }

    void take_removal(const Value& value, const Value& now, std::int64_t at_ms) {
        Removal removal{text(value, "kind"), text(value, "namespace"), text(value, "name"), now.text() == "true"};
        if (value.kind() != Value::Kind::object || removal.kind.empty() || removal.name.empty()) {
            fault("delete", "has to be an object with kind and name");
        }
        if (now.present() && now.kind() != Value::Kind::boolean) {
            fault("now", "is " + std::string(kind_name(now.kind())) + ", not true or false");
        }
        if (!kube::has_namespace(removal.kind)) {
            removal.name_space.clear();
        } else if (removal.name_space.empty()) {
            removal.name_space = "default";
        }
        for (const std::string* const name : {&removal.name, &removal.name_space}) {
            if (name->size() > kube::Texts::kLengthMax) {
                fault("delete", "has a name of more than 512 bytes");
            }
        }
        // Names of the removal must be in the dictionary when the run begins.
        (void)kube::named_object(converter_.texts(), removal.kind, removal.name_space, removal.name);
        events_.push_back({at_ms, place_, std::move(removal)});
    }

    std::string text(const Value& object, std::string_view name) {
        const Value& value = object[name];
        if (value.present() && value.kind() != Value::Kind::text) {
            fault("delete." + std::string(name), "is " + std::string(kind_name(value.kind())) + ", not a text");
        }
        return std::string(value.kind() == Value::Kind::text ? value.text() : std::string_view());
    }

    kube::ObjectConverter& converter_;
    std::vector<Event>& events_;
    std::vector<kube::ObjectFault>& faults_;
    std::string place_;
    std::string text_;
    std::size_t seen_ = 0;
    std::int64_t last_ms_ = 0;
};

}  // namespace

bool read_events(std::string_view text, const std::string& file, kube::ObjectConverter& converter,
                 std::vector<Event>& events, std::vector<kube::ObjectFault>& faults) {
    EventReader reader(converter, events, faults);
    bool good = true;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
            good = reader.line(line, file + ":" + std::to_string(number)) && good;
        }
    }
    return good;
}

}  // namespace bayplan::sim
