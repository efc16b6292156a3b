// See namespace_quotas.h.
#include "kube/namespace_quotas.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/quantity.h"
#include "kube/document_reader.h"
#include "kube/trimmed_json.h"

namespace bayplan::kube {

namespace {

constexpr std::string_view kPrefix = "yunikorn.apache.org/";

using Amounts = std::map<std::string, std::int64_t>;

// By the engine's names of resources and in its units; false: no quantity.
bool add(Amounts& amounts, std::string_view name, std::string_view text) {
    std::string why;
    const std::optional<Quantity> quantity = parse_quantity(text, why);
    if (!quantity) {
        return false;
    }
    const bool cpu = name == "cpu";
    amounts[cpu ? "vcore" : std::string(name)] = (cpu ? thousandths(*quantity) : whole_items(*quantity)).value;
    return true;
}

std::optional<Amounts> amounts_of(std::string_view map) {
    std::string text(map);
    text.resize(map.size() + kTextPadding);
    Amounts amounts;
    bool sound = true;
    std::vector<ObjectFault> faults;
    read_json(
        std::string_view(text).substr(0, map.size()), "quota",
        [&](const ReadObject& read) {
            sound = sound && read.value.kind() == Value::Kind::object;
            for (const Member& member : read.value.members()) {
                sound =
                    sound && member.value.kind() == Value::Kind::text && add(amounts, member.name, member.value.text());
            }
        },
        faults);
    return sound && faults.empty() ? std::optional(amounts) : std::nullopt;
}

std::string to_tag(const Amounts& amounts) {
    std::string text = "{\"resources\":{";
    for (const auto& [name, value] : amounts) {
        text += text.ends_with('{') ? "" : ",";
        append_json_text(text, name);
        text += ":{\"value\":" + std::to_string(value) + "}";
    }
    return text + "}}";
}

class Annotations {
public:
    explicit Annotations(const Value& all) : all_(all) {}

    std::string_view text(std::string_view name) const {
        const Value& value = all_[std::string(kPrefix) + std::string(name)];
        return value.kind() == Value::Kind::text ? value.text() : std::string_view();
    }

    std::optional<Amounts> quota() const {
        if (const std::string_view map = text("namespace.quota"); !map.empty()) {
            return amounts_of(map);
        }
        Amounts amounts;
        for (const char* const name : {"cpu", "memory"}) {
            const std::string_view most = text(std::string("namespace.max.") + name);
            if (!most.empty() && !add(amounts, name, most)) {
                return std::nullopt;
            }
        }
        return amounts;
    }

private:
    const Value& all_;
};

}  // namespace

void NamespaceQuotas::take(Converter& convert) {
    const Value& metadata = convert.reader.root()["metadata"];
    const Annotations annotations(metadata["annotations"]);
    std::vector<Attribute> tags;
    const auto tag = [&](std::string_view name, std::string_view value) {
        if (!value.empty() && value.size() <= Texts::kLengthMax) {
            tags.push_back({convert.texts.id(name), convert.texts.id(value)});
        }
    };
    const auto amounts_tag = [&](std::string_view name, const std::optional<Amounts>& amounts) {
        if (amounts && !amounts->empty()) {
            tag(name, to_tag(*amounts));
        }
    };
    amounts_tag("namespace.resourcequota", annotations.quota());
    amounts_tag("namespace.resourceguaranteed", amounts_of(annotations.text("namespace.guaranteed")));
    tag("namespace.resourcemaxapps", annotations.text("namespace.maxApps"));
    tag("namespace.parentqueue", annotations.text("parentqueue"));
    std::string name(metadata["name"].text());
    if (tags.empty()) {
        tags_.erase(name);
    } else {
        tags_.insert_or_assign(std::move(name), std::move(tags));
    }
}

StatedApplication NamespaceQuotas::with_quota(const ConvertedPod& pod) const {
    StatedApplication stated{pod.application, pod.lists};
    const auto found = tags_.find(pod.key.substr(0, pod.key.find('/')));
    if (found == tags_.end() || pod.lists == nullptr) {
        return stated;
    }
    ApplicationLists lists = *pod.lists;
    lists.tags.insert(lists.tags.end(), found->second.begin(), found->second.end());
    stated.lists = std::make_shared<const ApplicationLists>(std::move(lists));
    stated.item.user_groups = stated.lists->user_groups;
    stated.item.tags = stated.lists->tags;
    return stated;
}

}  // namespace bayplan::kube
