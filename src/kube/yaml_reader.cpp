// YAML into trees, one document at a time. Built from yaml-cpp's events, as src/config does, so that no
// second tree is made.
//
// Plain scalars are what Kubernetes' YAML reader takes them for: true and false (and YAML 1.1's yes, no, on,
// off), null, numbers, else text. Quoted ones are text.
//
// Thread: any. Exceptions of yaml-cpp end here; an error ends the text, which YAML cannot be entered again in.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <streambuf>
#include <unordered_map>
#include <vector>

#include "kube/document_reader.h"

namespace bayplan::kube {

namespace {

constexpr std::size_t kDepthMax = 100;
// A document's growth by aliases is bounded by sharing: an alias is 16 bytes, however large its node.

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
        if (text == word) {
            return true;
        }
    }
    return false;
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
    if (one_of(text, {"", "~", "null", "Null", "NULL"})) {
        return {};
    }
    if (one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
        return Value::scalar(Value::Kind::boolean, "true");
    }
    if (one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
        return Value::scalar(Value::Kind::boolean, "false");
    }
    return Value::scalar(is_number(text) ? Value::Kind::number : Value::Kind::text, text);
}

struct TooDeep {};

class TreeBuilder : public YAML::EventHandler {
public:
    Arena& arena() { return arena_; }
    const Value& root() const { return root_; }
    int line() const { return line_; }
    // A document started where the one before it did: the parser has come to what it cannot read and, which
    // it does with a stray comma, says nothing.
    bool stuck() const { return stuck_; }

    void clear() {
        arena_.clear();
        root_ = {};
        levels_.clear();
        items_.clear();
        anchors_.clear();
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        stuck_ = mark.pos == start_;
        start_ = mark.pos;
        line_ = mark.line + 1;
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { place({}, anchor, mark); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        // Of an anchor that is not closed yet (an alias inside of what it names) nothing is known: absent.
        const auto found = anchors_.find(anchor);
        place(found == anchors_.end() ? Value() : found->second, YAML::NullAnchor, mark);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        const std::string_view kept = arena_.keep(std::string_view(text));
        // "?" is the tag of plain scalars, "!" of quoted ones; "!!str" and the like are said by hand.
        place(tag == "?" ? plain_scalar(kept) : Value::scalar(Value::Kind::text, kept), anchor, mark);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(false, anchor, mark);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(true, anchor, mark);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Level {
        bool map = false;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::size_t first = 0;  // of its items (of a map: name, value, name, value...) in items_
    };

    void open(bool map, YAML::anchor_t anchor, const YAML::Mark& mark) {
        line_ = mark.line + 1;
        if (levels_.size() >= kDepthMax) {
            throw TooDeep();
        }
        levels_.push_back({map, anchor, items_.size()});
    }

    void close() {
        const Level level = levels_.back();
        levels_.pop_back();
        const std::span<const Value> parts = std::span<const Value>(items_).subspan(level.first);
        Value value;
        if (level.map) {
            std::vector<Member> members;
            for (std::size_t index = 0; index + 1 < parts.size(); index += 2) {
                members.push_back({parts[index].text(), parts[index + 1]});
            }
            value = Value::object(arena_.keep(std::span<const Member>(members)));
        } else {
            value = Value::list(arena_.keep(parts));
        }
        items_.resize(level.first);
        place(value, level.anchor);
    }

    void place(const Value& value, YAML::anchor_t anchor, const YAML::Mark& mark) {
        line_ = mark.line + 1;
        place(value, anchor);
    }

    void place(const Value& value, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor) {
            anchors_[anchor] = value;
        }
        if (levels_.empty()) {
            root_ = value;
        } else {
            items_.push_back(value);
        }
    }

    Arena arena_;
    Value root_;
    std::vector<Level> levels_;
    std::vector<Value> items_;
    std::unordered_map<YAML::anchor_t, Value> anchors_;
    int line_ = 0;
    int start_ = -1;  // of the document, in letters
    bool stuck_ = false;
};

// Reads from the text itself: a string stream would copy it.
class TextBuffer : public std::streambuf {
public:
    explicit TextBuffer(const std::string& text) {
        char* const data = const_cast<char*>(text.data());  // a get area is never written to
        setg(data, data, data + text.size());
    }
    std::uint64_t position() const { return static_cast<std::uint64_t>(gptr() - eback()); }
};

void read_documents(const std::string& text, const std::string& file, const OnObject& on_object,
                    std::vector<ObjectFault>& faults) {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    TreeBuilder builder;
    const auto fault = [&](int line, const std::string& what) {
        faults.push_back({file + ":" + std::to_string(line), "", "", "is not valid YAML: " + what});
    };
    try {
        for (builder.clear(); parser.HandleNextDocument(builder); builder.clear()) {
            if (builder.stuck()) {
                fault(builder.line(), "nothing can start here");
                break;
            }
            if (builder.root().present()) {  // "---" behind the last document starts an empty one
                hand_out(builder.root(), builder.arena(), buffer.position(), file, on_object, faults);
            }
        }
    } catch (const YAML::Exception& error) {
        fault(error.mark.line + 1, error.msg);
    } catch (const TooDeep&) {
        fault(builder.line(), "more than " + std::to_string(kDepthMax) + " levels deep");
    }
}

}  // namespace

void read_yaml(const std::string& text, const std::string& file, const OnObject& on_object,
               std::vector<ObjectFault>& faults) {
    read_documents(text, file, on_object, faults);
}

}  // namespace bayplan::kube
