// The same as json_reader.cpp by Boost's parser, in programs that are linked statically: there is no such library of
// simdjson. Slower, and otherwise alike, which `tests/system/static_cli` looks at; but of a text that is torn it hands out
// the items before the tear, as of a long list. (Such programs read no lists and watches of an API server.)
//
// Thread: any. Errors end the document in which they are; the documents behind it are still read.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "kube/document_reader.h"
#include "kube/tree_builder.h"

namespace bayplan::kube {

namespace {

namespace json = boost::json;
using Error = json::error_code;

// Is told of each part by the parser; texts and numbers come in pieces.
class Handler {
public:
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;

    explicit Handler(TreeBuilder& builder) : builder_(builder) {}

    bool on_document_begin(Error&) { return true; }
    bool on_document_end(Error&) { return true; }
    bool on_object_begin(Error& error) { return open(true, error); }
    bool on_array_begin(Error& error) { return open(false, error); }
    bool on_object_end(std::size_t, Error&) { return close(); }
    bool on_array_end(std::size_t, Error&) { return close(); }
    bool on_key_part(json::string_view text, std::size_t, Error&) { return more(text); }
    bool on_key(json::string_view text, std::size_t, Error&) { return last(Value::Kind::text, text); }
    bool on_string_part(json::string_view text, std::size_t, Error&) { return more(text); }
    bool on_string(json::string_view text, std::size_t, Error&) { return last(Value::Kind::text, text); }
    bool on_number_part(json::string_view text, Error&) { return more(text); }
    bool on_int64(std::int64_t, json::string_view text, Error&) { return last(Value::Kind::number, text); }
    bool on_uint64(std::uint64_t, json::string_view text, Error&) { return last(Value::Kind::number, text); }
    bool on_double(double, json::string_view text, Error&) { return last(Value::Kind::number, text); }
    bool on_bool(bool flag, Error&) { return place(Value::scalar(Value::Kind::boolean, flag ? "true" : "false")); }
    bool on_null(Error&) { return place({}); }
    bool on_comment_part(json::string_view, Error&) { return true; }
    bool on_comment(json::string_view, Error&) { return true; }

private:
    bool open(bool map, Error& error) {
        if (builder_.open(map)) return true;
        error = json::error::too_deep;
        return false;
    }
    bool close() {
        builder_.close();
        return true;
    }
    bool more(json::string_view text) {
        text_.append(text.data(), text.size());
        return true;
    }
    bool last(Value::Kind kind, json::string_view text) {
        more(text);
        builder_.scalar(Value::scalar(kind, text_));
        text_.clear();
        return true;
    }
    bool place(const Value& value) {
        builder_.scalar(value);
        return true;
    }

    TreeBuilder& builder_;
    std::string text_;
};

json::parse_options options() {
    json::parse_options made;
    made.max_depth = TreeBuilder::kDepthMax + 1;  // the builder says so first
    return made;
}

}  // namespace

struct JsonReader::Parts {};

JsonReader::JsonReader() = default;
JsonReader::~JsonReader() = default;

void JsonReader::read(std::string_view document, std::string_view whole, const std::string& file,
                      const OnObject& on_object, std::vector<ObjectFault>& faults) {
    const auto position = static_cast<std::uint64_t>(document.data() - whole.data());
    std::size_t item = 0;
    TreeBuilder builder([&](const Value& value, std::string_view list_kind, Arena& arena) {
        hand_out_one(value, item_kind(list_kind), ++item, arena, position, file, on_object, faults);
    });
    json::basic_parser<Handler> parser(options(), builder);
    Error error;
    const std::size_t read = parser.write_some(false, document.data(), document.size(), error);
    const bool more = !error && document.find_first_not_of(" \t\r\n", read) != std::string_view::npos;
    if (error || more) {
        const std::string_view before = whole.substr(0, position + read);
        const std::string what = error ? error.message() : "something follows its end";
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        faults.push_back({file, item == 0 ? "" : "item " + std::to_string(item + 1), "",
                          "is not valid JSON: " + what + " (near line " + std::to_string(line) + ")"});
        return;
    }
    if (!builder.items_are_out()) {
        hand_out(builder.root(), builder.arena(), position + read, file, on_object, faults);
    }
}

}  // namespace bayplan::kube
