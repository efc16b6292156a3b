// See document_reader.h.
#include "kube/document_reader.h"

#include <memory>

#include "kube/syntax.h"
#include "kube/text_source.h"

namespace bayplan::kube {

std::string ObjectFault::to_string() const {
    std::string text = file;
    for (const std::string* part : {&object, &path, &what}) {
        if (!part->empty()) {
            text += text.empty() ? "" : ": ";
            text += *part;
        }
    }
    return text;
}

std::string_view item_kind(std::string_view list_kind) {
    constexpr std::string_view kList = "List";
    return list_kind.ends_with(kList) ? list_kind.substr(0, list_kind.size() - kList.size()) : std::string_view();
}

void hand_out_one(const Value& value, std::string_view kind_unless_named, std::size_t number, Arena& arena,
                  std::uint64_t position, const std::string& file, const OnObject& on_object,
                  std::vector<ObjectFault>& faults) {
    if (value.kind() != Value::Kind::object) {
        const std::string name = number == 0 ? "" : "item " + std::to_string(number);
        faults.push_back({file, name, "", "is " + std::string(kind_name(value.kind())) + ", not an object"});
        return;
    }
    const Value& kind = value["kind"];
    on_object({kind.kind() == Value::Kind::text ? kind.text() : kind_unless_named, value, arena, position});
}

void hand_out(const Value& document, Arena& arena, std::uint64_t position, const std::string& file,
              const OnObject& on_object, std::vector<ObjectFault>& faults) {
    const auto one = [&](const Value& value, std::string_view fallback, std::size_t number) {
        hand_out_one(value, fallback, number, arena, position, file, on_object, faults);
    };
    const Value& kind = document["kind"];
    const bool list = kind.text().ends_with("List") && document["items"].kind() != Value::Kind::absent;
    const Value& items = document.kind() == Value::Kind::list ? document : document["items"];
    if (document.kind() != Value::Kind::list && !list) {
        one(document, {}, 0);
        return;
    }
    if (items.kind() != Value::Kind::list) {
        faults.push_back({file, "", "items", "is " + std::string(kind_name(items.kind())) + ", not a list"});
        return;
    }
    std::size_t number = 0;
    for (const Value& item : items.items()) {
        one(item, item_kind(kind.text()), ++number);
    }
}

bool read_whole(const std::string& path, std::string& text, std::string& why) {
    const std::unique_ptr<TextSource> source = open_source(path, why);
    for (std::size_t got = source == nullptr ? 0 : 1; got > 0;) {
        constexpr std::size_t kChunk = 1 << 22;
        const std::size_t size = text.size();
        if (text.capacity() < size + kChunk + kTextPadding) {
            text.reserve(2 * size + kChunk + kTextPadding);
        }
        text.resize(size + kChunk);
        got = source->read(text.data() + size, kChunk, why);
        text.resize(size + got);
    }
    return why.empty();
}

void read_objects(const std::string& text, const std::string& file, const OnObject& on_object,
                  std::vector<ObjectFault>& faults) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string::npos) {
        faults.push_back({file, "", "", "is empty"});
        return;
    }
    if (begins_json(text)) {
        read_json(std::string_view(text).substr(start), file, on_object, faults);
    } else {
        read_yaml(text, file, on_object, faults);
    }
}

}  // namespace bayplan::kube
