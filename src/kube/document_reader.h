// Texts of Kubernetes objects, one object at a time: JSON or YAML as kubectl prints them, Lists (of any
// kind) or single objects, several documents in one text.
//
// Thread: any, one text at a time. Owner: the value handed out lives until the call returns. Errors: a text
// or a part that cannot be read gives a fault with its place; what was read before it has been handed out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/fault.h"
#include "kube/value.h"

namespace bayplan::kube {

struct ReadObject {
    std::string_view kind;  // its own, or of an item of a typed list ("PodList") that list's
    const Value& value;
    Arena& arena;            // for values made from this one
    std::uint64_t position;  // bytes of the text that have been read, nearly
};
using OnObject = std::function<void(const ReadObject&)>;

// `text` must have kTextPadding bytes behind its size() that may be read (of any content).
inline constexpr std::size_t kTextPadding = 64;

// A file as a text with that room; "-" is standard input; gzip and zstd are unpacked. False: `why` says why.
bool read_whole(const std::string& path, std::string& text, std::string& why);

void read_objects(const std::string& text, const std::string& file, const OnObject&, std::vector<ObjectFault>&);

// Of one syntax each; read_objects chooses by the first letter.
void read_json(std::string_view text, const std::string& file, const OnObject&, std::vector<ObjectFault>&);
void read_yaml(const std::string& text, const std::string& file, const OnObject&, std::vector<ObjectFault>&);

// YAML that comes piece by piece. A document is read as it comes, and items of a list are handed out one by one.
struct YamlInput {
    // False: it cannot be read any further, and the caller knows why. Nothing got: the end.
    std::function<bool(char* to, std::size_t size, std::size_t& got)> read;
    std::function<std::uint64_t()> position;  // see ReadObject
};
void read_yaml(const YamlInput&, const std::string& file, const OnObject&, std::vector<ObjectFault>&);

// An API server's words on one page of a list, beside its items.
struct ListPage {
    std::string resource_version;
    std::string continue_token;  // names the next page; empty: this was the last one
};
// An answer of an API server that lists objects. Anything else is a fault.
void read_list_page(std::string_view text, const std::string& name, const OnObject&, ListPage&,
                    std::vector<ObjectFault>&);

// One line of a watch: {"type": "ADDED", "object": {...}}. `type` is set before the object is handed out, and lives as long
// as that. Both are needed; anything else in the line is not looked at.
using OnWatched = std::function<void(std::string_view type, const ReadObject&)>;
void read_watch_line(std::string_view text, const std::string& name, const OnWatched&, std::vector<ObjectFault>&);

// Reads one JSON document after the other with the same memory.
class JsonReader {
public:
    JsonReader();
    ~JsonReader();
    JsonReader(const JsonReader&) = delete;
    JsonReader& operator=(const JsonReader&) = delete;

    // `whole`: the text of which the document is a part, by which places are told.
    void read(std::string_view document, std::string_view whole, const std::string& file, const OnObject&,
              std::vector<ObjectFault>&);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Length of the JSON document that starts the text: up to the bracket that closes its first one.
std::size_t json_length(std::string_view text);

// A document as objects: itself, or the items of a list. Not for JSON lists, which are never held whole.
void hand_out(const Value& document, Arena&, std::uint64_t position, const std::string& file, const OnObject&,
              std::vector<ObjectFault>&);

// One object of a text; `number`: of an item of a list, from 1 on. Anything but an object is a fault.
void hand_out_one(const Value&, std::string_view kind_unless_named, std::size_t number, Arena&, std::uint64_t position,
                  const std::string& file, const OnObject&, std::vector<ObjectFault>&);

// "Pod" for "PodList", "" for "List" and for what is no list.
std::string_view item_kind(std::string_view list_kind);

}  // namespace bayplan::kube
