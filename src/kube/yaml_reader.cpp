// YAML into trees, one object at a time: libyaml's events become values as they come (tree_builder.h), so that neither the text
// nor the tree of a long list is ever held whole.
//
// Plain scalars are what Kubernetes' YAML reader takes them for: true and false (and YAML 1.1's yes, no, on,
// off), null, numbers, else text. Quoted ones are text.
//
// Thread: any. The only user of libyaml. An error ends the text, which YAML cannot be entered again in.
#include <yaml.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kube/document_reader.h"
#include "kube/tree_builder.h"
#include "kube/yaml_lines.h"

namespace bayplan::kube {

namespace {

// A document's growth by aliases is bounded by sharing: an alias is 16 bytes, however large its node.

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_number(std::string_view text) {
    std::size_t digits = 0;
    bool point = false;
    bool exponent = false;
    for (std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0; at < text.size(); ++at) {
        if (text[at] >= '0' && text[at] <= '9') {
            ++digits;
        } else if (text[at] == '.' && !point && !exponent) {
            point = true;
        } else if ((text[at] == 'e' || text[at] == 'E') && digits > 0 && !exponent && at + 1 < text.size()) {
            exponent = true;
            at += text[at + 1] == '+' || text[at + 1] == '-' ? 1 : 0;
        } else {
            return false;
        }
    }
    return digits > 0;
}

Value plain_scalar(std::string_view text) {
    constexpr std::size_t kLongestWord = 5;
    if (text.size() <= kLongestWord) {
        if (one_of(text, {"", "~", "null", "Null", "NULL"})) return {};
        if (one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
            return Value::scalar(Value::Kind::boolean, "true");
        }
        if (one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
            return Value::scalar(Value::Kind::boolean, "false");
        }
    }
    return Value::scalar(is_number(text) ? Value::Kind::number : Value::Kind::text, text);
}

std::string_view letters(const yaml_char_t* text) {
    return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

// False: `builder` says why.
bool take(TreeBuilder& builder, const yaml_event_t& event) {
    switch (event.type) {
        case YAML_SCALAR_EVENT: {
            const auto& scalar = event.data.scalar;
            const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
            const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nullptr;
            builder.scalar(plain ? plain_scalar(text) : Value::scalar(Value::Kind::text, text), letters(scalar.anchor));
            return true;
        }
        case YAML_ALIAS_EVENT: return builder.alias(letters(event.data.alias.anchor));
        case YAML_SEQUENCE_START_EVENT: return builder.open(false, letters(event.data.sequence_start.anchor));
        case YAML_MAPPING_START_EVENT: return builder.open(true, letters(event.data.mapping_start.anchor));
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT: builder.close(); return true;
        default: return true;
    }
}

// libyaml's parser and the event it has come to.
class Events {
public:
    explicit Events(const YamlInput& input) : input_(input) {
        yaml_parser_initialize(&parser_);
        yaml_parser_set_input(&parser_, read, this);
    }
    ~Events() {
        drop();
        yaml_parser_delete(&parser_);
    }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    bool next() {
        drop();
        has_event_ = yaml_parser_parse(&parser_, &event_) == 1;
        return has_event_;
    }
    bool failed() const { return !has_event_; }
    const yaml_event_t& event() const { return event_; }
    std::size_t line() const { return event_.start_mark.line + 1; }
    // The text itself could not be read to its end, which who reads it says.
    bool input_failed() const { return failed_; }

    ObjectFault fault(const std::string& file) const {
        const bool scanned = parser_.problem_mark.line != 0 || parser_.problem_mark.column != 0;
        const std::size_t line = (scanned ? parser_.problem_mark : parser_.mark).line + 1;
        std::string what = parser_.problem == nullptr ? "it cannot be read" : parser_.problem;
        if (parser_.context != nullptr) {
            what += std::string(" ") + parser_.context;
            if (parser_.context_mark.line + 1 < line) {
                what += " that begins in line " + std::to_string(parser_.context_mark.line + 1);
            }
        }
        return {file + ":" + std::to_string(line), "", "", "is not valid YAML: " + what};
    }

private:
    void drop() {
        if (has_event_) yaml_event_delete(&event_);
        has_event_ = false;
    }

    static int read(void* self, unsigned char* to, std::size_t size, std::size_t* got) {
        Events& events = *static_cast<Events*>(self);
        events.failed_ = !events.input_.read(reinterpret_cast<char*>(to), size, *got);
        return events.failed_ ? 0 : 1;
    }

    const YamlInput& input_;
    yaml_parser_t parser_;
    yaml_event_t event_;
    bool has_event_ = false;
    bool failed_ = false;
};

YamlInput input_of(const std::string& text) {
    const auto at = std::make_shared<std::size_t>(0);
    const auto read = [at, &text](char* to, std::size_t size, std::size_t& got) {
        got = std::min(size, text.size() - *at);
        std::memcpy(to, text.data() + *at, got);
        *at += got;
        return true;
    };
    return {read, [at] { return *at; }};
}

// Paths of values and their lines, event by event.
class Lines {
public:
    void take(const yaml_event_t& event, std::size_t line) {
        switch (event.type) {
            case YAML_SCALAR_EVENT:
                if (named(event.data.scalar, line)) return;
                begins(line);
                return;
            case YAML_ALIAS_EVENT: begins(line); return;
            case YAML_SEQUENCE_START_EVENT: levels_.push_back({.path = begins(line)}); return;
            case YAML_MAPPING_START_EVENT: levels_.push_back({.path = begins(line), .map = true}); return;
            case YAML_SEQUENCE_END_EVENT:
            case YAML_MAPPING_END_EVENT:
                if (!levels_.empty()) levels_.pop_back();
                return;
            default: return;
        }
    }

    std::map<std::string, std::size_t> lines;

private:
    struct Level {
        std::string path;
        bool map = false;
        bool has_name = false;  // of the value that comes
        std::string name = {};
        std::size_t line_of_name = 0;
        std::size_t next = 0;  // of a list
    };

    template <typename Scalar>
    bool named(const Scalar& scalar, std::size_t line) {
        if (levels_.empty() || !levels_.back().map || levels_.back().has_name) return false;
        levels_.back().name.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
        levels_.back().line_of_name = line;
        levels_.back().has_name = true;
        return true;
    }

    // The path of the value that begins here. A name that is no text gives its map's.
    std::string begins(std::size_t line) {
        std::string path;
        if (!levels_.empty()) {
            Level& level = levels_.back();
            path = level.path;
            if (level.map) {
                path += (path.empty() ? "" : ".") + level.name;
                line = level.has_name ? level.line_of_name : line;
                level.has_name = !level.has_name;
            } else {
                path += "[" + std::to_string(level.next++) + "]";
            }
        }
        // Deeper ones are refused by who reads them; their paths would be as long as all that is above them.
        if (levels_.size() <= TreeBuilder::kDepthMax) lines.insert_or_assign(path, line);
        return path;
    }

    std::vector<Level> levels_;
};

}  // namespace

void read_yaml(const YamlInput& input, const std::string& file, const OnObject& on_object,
               std::vector<ObjectFault>& faults) {
    Events events(input);
    std::size_t item = 0;
    TreeBuilder builder([&](const Value& value, std::string_view list_kind, Arena& arena) {
        hand_out_one(value, item_kind(list_kind), ++item, arena, input.position(), file, on_object, faults);
    });
    while (events.next() && events.event().type != YAML_STREAM_END_EVENT) {
        if (!take(builder, events.event())) {
            faults.push_back(
                {file + ":" + std::to_string(events.line()), "", "", "is not valid YAML: " + builder.why()});
            return;
        }
        if (events.event().type != YAML_DOCUMENT_END_EVENT) continue;
        if (builder.root().present() &&
            !builder.items_are_out()) {  // "---" behind the last document starts an empty one
            hand_out(builder.root(), builder.arena(), input.position(), file, on_object, faults);
        }
        builder.clear();
        item = 0;
    }
    if (events.failed() && !events.input_failed()) faults.push_back(events.fault(file));
}

void read_yaml(const std::string& text, const std::string& file, const OnObject& on_object,
               std::vector<ObjectFault>& faults) {
    read_yaml(input_of(text), file, on_object, faults);
}

std::map<std::string, std::size_t> yaml_lines(const std::string& text) {
    const YamlInput input = input_of(text);
    Events events(input);
    Lines lines;
    while (events.next() && events.event().type != YAML_DOCUMENT_END_EVENT &&
           events.event().type != YAML_STREAM_END_EVENT) {
        lines.take(events.event(), events.line());
    }
    return std::move(lines.lines);
}

}  // namespace bayplan::kube
