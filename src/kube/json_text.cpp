// JSON documents one behind the other: where each ends. Their contents are the reader's.
//
// Thread: any.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/document_reader.h"

namespace bayplan::kube {

namespace {

bool is_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; }

// In JSON an opening bracket right behind a closing one is the start of another document, or in a text.
bool may_hold_several(std::string_view text) {
    for (std::size_t at = text.find('{', 1); at != std::string_view::npos; at = text.find('{', at + 1)) {
        std::size_t before = at;
        while (before > 0 && is_space(text[before - 1])) {
            --before;
        }
        if (before > 0 && (text[before - 1] == '}' || text[before - 1] == ']')) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::size_t json_length(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        switch (text[at]) {
            case '{':
            case '[': ++depth; break;
            case '}':
            case ']':
                if (depth <= 1) {
                    return at + 1;
                }
                --depth;
                break;
            case '"':
                for (++at; at < text.size() && text[at] != '"'; ++at) {
                    at += text[at] == '\\' ? 1 : 0;
                }
                break;
            default: break;
        }
    }
    return text.size();
}

void read_json(std::string_view text, const std::string& file, const OnObject& on_object,
               std::vector<ObjectFault>& faults) {
    JsonReader reader;
    const std::string_view whole = text;
    if (!may_hold_several(text)) {
        reader.read(text, whole, file, on_object, faults);
        return;
    }
    while (!text.empty()) {
        if (is_space(text.front())) {
            text.remove_prefix(1);
            continue;
        }
        const std::size_t length = json_length(text);
        reader.read(text.substr(0, length), whole, file, on_object, faults);
        text.remove_prefix(length);
    }
}

}  // namespace bayplan::kube
