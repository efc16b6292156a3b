// JSON into trees, one object of a list at a time. The only user of simdjson.
//
// The on-demand parser keeps the spelling of numbers and touches each part once. Texts stay in the parser's
// buffer, which lives as long as the document; the tree of an object goes when the next one is read.
//
// Thread: any. Errors end the document in which they are; the documents behind it are still read.
// Its throwing conversions are easily called by mistake: without them they do not compile.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <algorithm>
#include <vector>

#include "kube/document_reader.h"

namespace bayplan::kube {

namespace {

using simdjson::error_code;
using simdjson::ondemand::json_type;

constexpr int kDepthMax = 100;  // Kubernetes' own objects have about 20 levels

// Written by the API server for itself, often half of an object.
constexpr std::string_view kManagedFields = "managedFields";

class ValueBuilder {
public:
    // SUCCESS, or why the value cannot be read.
    error_code build(simdjson::ondemand::value value, Value& built, int depth = 0) {
        if (depth > kDepthMax) {
            return simdjson::DEPTH_ERROR;
        }
        json_type type{};
        if (const error_code error = value.type().get(type)) {
            return error;
        }
        switch (type) {
            case json_type::object: return build_object(value, built, depth);
            case json_type::array: return build_list(value, built, depth);
            case json_type::string: {
                std::string_view text;
                const error_code error = value.get_string().get(text);
                built = Value::scalar(Value::Kind::text, text);
                return error;
            }
            case json_type::number: return build_number(value, built);
            case json_type::boolean: {
                bool flag = false;
                const error_code error = value.get_bool().get(flag);
                built = Value::scalar(Value::Kind::boolean, flag ? "true" : "false");
                return error;
            }
            case json_type::null: {
                bool null = false;
                const error_code error = value.is_null().get(null);
                built = Value();
                return error ? error : null ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
            }
        }
        return simdjson::INCORRECT_TYPE;
    }

    Arena& arena() { return arena_; }
    void clear() {
        arena_.clear();
        members_.clear();
        items_.clear();
    }

private:
    static error_code build_number(simdjson::ondemand::value value, Value& built) {
        std::string_view text = value.raw_json_token();
        while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos) {
            text.remove_suffix(1);
        }
        // Checks the number and moves past it; only its spelling is kept.
        double number = 0;
        const error_code error = value.get_double().get(number);
        built = Value::scalar(Value::Kind::number, text);
        return error;
    }

    error_code build_object(simdjson::ondemand::value value, Value& built, int depth) {
        simdjson::ondemand::object object;
        if (const error_code error = value.get_object().get(object)) {
            return error;
        }
        const std::size_t first = members_.size();
        for (auto field : object) {
            std::string_view name;
            if (const error_code error = field.unescaped_key().get(name)) {
                return error;
            }
            if (name == kManagedFields) {
                continue;
            }
            Member member{name, {}};
            simdjson::ondemand::value inner;
            if (const error_code error = field.value().get(inner)) {
                return error;
            }
            if (const error_code error = build(inner, member.value, depth + 1)) {
                return error;
            }
            members_.push_back(member);
        }
        built = Value::object(arena_.keep(std::span<const Member>(members_).subspan(first)));
        members_.resize(first);
        return simdjson::SUCCESS;
    }

    error_code build_list(simdjson::ondemand::value value, Value& built, int depth) {
        simdjson::ondemand::array array;
        if (const error_code error = value.get_array().get(array)) {
            return error;
        }
        const std::size_t first = items_.size();
        for (auto item : array) {
            simdjson::ondemand::value inner;
            if (const error_code error = item.get(inner)) {
                return error;
            }
            Value one;
            if (const error_code error = build(inner, one, depth + 1)) {
                return error;
            }
            items_.push_back(one);
        }
        built = Value::list(arena_.keep(std::span<const Value>(items_).subspan(first)));
        items_.resize(first);
        return simdjson::SUCCESS;
    }

    Arena arena_;
    std::vector<Member> members_;  // of the objects under construction, innermost last
    std::vector<Value> items_;     // likewise
};

// Used again for the next document.
struct Memory {
    simdjson::ondemand::parser parser;
    ValueBuilder builder;
};

class JsonText {
public:
    JsonText(std::string_view whole, const std::string& file, const OnObject& on_object,
             std::vector<ObjectFault>& faults, Memory& memory)
        : whole_(whole),
          file_(file),
          on_object_(on_object),
          faults_(faults),
          parser_(memory.parser),
          builder_(memory.builder) {}

    void read_document(std::string_view text) {
        item_ = 0;
        const simdjson::padded_string_view padded(text.data(), text.size(), text.size() + kTextPadding);
        simdjson::ondemand::document document;
        if (const error_code error = parser_.iterate(padded).get(document)) {
            fault(error, nullptr);  // such a document knows no place
        } else if (const error_code inner = text.front() == '[' ? read_bare_list(document) : read_root(document)) {
            const char* at = nullptr;
            fault(inner, document.current_location().get(at) ? nullptr : at);
        }
    }

    void read_page(ListPage& page) {
        with_document([&](simdjson::ondemand::document& document) { return read_page(document, page); });
    }
    void read_watch_line(const OnWatched& on_watched) {
        with_document([&](simdjson::ondemand::document& document) { return read_watch_line(document, on_watched); });
    }

private:
    template <typename Read>
    void with_document(Read read) {
        const simdjson::padded_string_view padded(whole_.data(), whole_.size(), whole_.size() + kTextPadding);
        simdjson::ondemand::document document;
        error_code error = parser_.iterate(padded).get(document);
        if (error == simdjson::SUCCESS) {
            error = read(document);
        }
        if (error != simdjson::SUCCESS) {
            fault(error, nullptr);
        }
    }

    // A page says what it is before its items, so that each part is touched once.
    error_code read_page(simdjson::ondemand::document& document, ListPage& page) {
        std::string_view text;
        if (const error_code error = document.find_field_unordered("kind").get_string().get(text)) {
            return error;
        }
        const std::string kind(item_kind(text));
        if (kind.empty()) {
            return simdjson::INCORRECT_TYPE;
        }
        simdjson::ondemand::value metadata;
        if (const error_code error = document.find_field_unordered("metadata").get(metadata)) {
            return error;
        }
        builder_.clear();
        Value built;
        if (const error_code error = builder_.build(metadata, built)) {
            return error;
        }
        page.resource_version = built["resourceVersion"].text();
        page.continue_token = built["continue"].text();
        simdjson::ondemand::value items;
        if (const error_code error = document.find_field_unordered("items").get(items)) {
            return error;
        }
        json_type type{};
        if (const error_code error = items.type().get(type)) {
            return error;
        }
        if (type == json_type::null) {
            return simdjson::SUCCESS;
        }
        simdjson::ondemand::array array;
        const error_code error = items.get_array().get(array);
        return error ? error : read_items(array, kind);
    }

    error_code read_watch_line(simdjson::ondemand::document& document, const OnWatched& on_watched) {
        std::string_view text;
        if (const error_code error = document.find_field_unordered("type").get_string().get(text)) {
            return error;
        }
        const std::string type(text);
        simdjson::ondemand::value value;
        if (const error_code error = document.find_field_unordered("object").get(value)) {
            return error;
        }
        builder_.clear();
        Value built;
        if (const error_code error = builder_.build(value, built)) {
            return error;
        }
        if (built.kind() != Value::Kind::object) {
            return simdjson::INCORRECT_TYPE;
        }
        on_watched(type, {built["kind"].text(), built, builder_.arena(), whole_.size()});
        return simdjson::SUCCESS;
    }

    error_code read_root(simdjson::ondemand::document& document) {
        std::string_view kind;
        error_code error = document.find_field_unordered("kind").get_string().get(kind);
        if (error && error != simdjson::NO_SUCH_FIELD && error != simdjson::INCORRECT_TYPE) {
            return error;
        }
        // The parser's buffer of texts starts again with the rewinding.
        const std::string list_kind(error ? std::string_view() : kind);
        if (!rewind(document)) {
            return error ? error : simdjson::TAPE_ERROR;
        }
        if (list_kind.empty() || list_kind.ends_with("List")) {
            simdjson::ondemand::array items;
            error = document.find_field_unordered("items").get_array().get(items);
            if (!error) {
                return read_items(items, item_kind(list_kind));
            }
            if (!rewind(document)) {
                return error;
            }
        }
        simdjson::ondemand::value value;
        if ((error = document.get_value().get(value)) != simdjson::SUCCESS) {
            return error;
        }
        builder_.clear();
        Value built;
        if ((error = builder_.build(value, built)) != simdjson::SUCCESS) {
            return error;
        }
        hand_out(built, builder_.arena(), whole_.size(), file_, on_object_, faults_);
        return simdjson::SUCCESS;
    }

    // False: the parser has given the document up, and what it held of it.
    static bool rewind(simdjson::ondemand::document& document) {
        if (!document.is_alive()) {
            return false;
        }
        document.rewind();
        return true;
    }

    error_code read_bare_list(simdjson::ondemand::document& document) {
        simdjson::ondemand::array items;
        const error_code error = document.get_array().get(items);
        return error ? error : read_items(items, {});
    }

    error_code read_items(simdjson::ondemand::array items, std::string_view kind) {
        for (auto item : items) {
            ++item_;
            builder_.clear();
            simdjson::ondemand::value value;
            if (const error_code error = item.get(value)) {
                return error;
            }
            const std::string_view start = value.raw_json_token();
            Value built;
            if (const error_code error = builder_.build(value, built)) {
                return error;
            }
            give(built, kind, static_cast<std::uint64_t>(start.data() - whole_.data()));
        }
        return simdjson::SUCCESS;
    }

    void give(const Value& value, std::string_view kind, std::uint64_t position) {
        if (value.kind() != Value::Kind::object) {
            faults_.push_back({file_, "item " + std::to_string(item_), "",
                               "is " + std::string(kind_name(value.kind())) + ", not an object"});
            return;
        }
        const Value& own = value["kind"];
        on_object_({own.kind() == Value::Kind::text ? own.text() : kind, value, builder_.arena(), position});
    }

    void fault(error_code error, const char* at) {
        std::string what = std::string("is not valid JSON: ") + simdjson::error_message(error);
        if (at >= whole_.data() && at <= whole_.data() + whole_.size()) {
            const auto before = whole_.substr(0, static_cast<std::size_t>(at - whole_.data()));
            what += " (near line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ")";
        }
        faults_.push_back({file_, item_ == 0 ? "" : "item " + std::to_string(item_), "", what});
    }

    std::string_view whole_;
    const std::string& file_;
    const OnObject& on_object_;
    std::vector<ObjectFault>& faults_;
    simdjson::ondemand::parser& parser_;
    ValueBuilder& builder_;
    std::size_t item_ = 0;
};

}  // namespace

// Its type is this file's own.
struct JsonReader::Parts {
    std::shared_ptr<void> memory = std::make_shared<Memory>();
};

JsonReader::JsonReader() : parts_(std::make_unique<Parts>()) {}
JsonReader::~JsonReader() = default;

void JsonReader::read(std::string_view document, std::string_view whole, const std::string& file,
                      const OnObject& on_object, std::vector<ObjectFault>& faults) {
    JsonText(whole, file, on_object, faults, *static_cast<Memory*>(parts_->memory.get())).read_document(document);
}

void read_list_page(std::string_view text, const std::string& name, const OnObject& on_object, ListPage& page,
                    std::vector<ObjectFault>& faults) {
    Memory memory;
    JsonText(text, name, on_object, faults, memory).read_page(page);
}

void read_watch_line(std::string_view text, const std::string& name, const OnWatched& on_watched,
                     std::vector<ObjectFault>& faults) {
    static const OnObject kNone;
    Memory memory;
    JsonText(text, name, kNone, faults, memory).read_watch_line(on_watched);
}

}  // namespace bayplan::kube
