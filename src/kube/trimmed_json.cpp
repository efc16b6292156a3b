// See trimmed_json.h.
#include "kube/trimmed_json.h"

#include <algorithm>
#include <array>

namespace bayplan::kube {

namespace {

// Members of a container that count; all others are left out.
constexpr std::array<std::string_view, 6> kOfContainers{"name",      "image",         "ports",
                                                        "resources", "restartPolicy", "resizePolicy"};
constexpr std::array<std::string_view, 4> kOfContainerStatuses{"name", "resources", "allocatedResources", "ready"};
constexpr std::array<std::string_view, 6> kAnnotations{"yunikorn.apache.org/",       "bayplan.io/",
                                                       "volume.beta.kubernetes.io/", "volume.kubernetes.io/",
                                                       "pv.kubernetes.io/",          "storage.alpha.kubernetes.io/"};
// Left out wherever they are.
constexpr std::array<std::string_view, 8> kNowhere{"managedFields",   "securityContext",  "nodeInfo",  "addresses",
                                                   "daemonEndpoints", "imagePullSecrets", "dnsConfig", "hostAliases"};

bool among(std::string_view name, const auto& names) { return std::ranges::find(names, name) != names.end(); }

class Trimming {
public:
    Trimming(std::string& out, std::string_view kind, bool whole) : out_(out), kind_(kind), whole_(whole) {}

    // `in`: the name of the member, or of the list, that the value is in.
    void append(const Value& value, std::string_view in) {
        switch (value.kind()) {
            case Value::Kind::absent: out_ += "null"; break;
            case Value::Kind::boolean:
            case Value::Kind::number: out_ += value.text(); break;
            case Value::Kind::text: append_json_text(out_, value.text()); break;
            case Value::Kind::list: append_list(value, in); break;
            case Value::Kind::object: append_object(value, in); break;
        }
    }

private:
    void append_list(const Value& list, std::string_view in) {
        out_ += '[';
        bool first = true;
        for (const Value& item : list.items()) {
            out_ += first ? "" : ",";
            first = false;
            append(item, in);
        }
        out_ += ']';
    }

    void append_object(const Value& object, std::string_view in) {
        out_ += '{';
        bool first = true;
        for (const Member& member : object.members()) {
            if (!member.value.present() || !counts(member.name, in)) continue;
            out_ += first ? "" : ",";
            first = false;
            append_json_text(out_, member.name);
            out_ += ':';
            append(member.value, member.name);
        }
        out_ += '}';
    }

    bool counts(std::string_view name, std::string_view in) const {
        if (whole_) return true;
        if (in == "containers" || in == "initContainers" || in == "ephemeralContainers")
            return among(name, kOfContainers);
        if (in == "containerStatuses" || in == "initContainerStatuses") return among(name, kOfContainerStatuses);
        if (in == "annotations") {
            return std::ranges::any_of(kAnnotations, [name](std::string_view one) { return name.starts_with(one); });
        }
        const bool has_selector = kind_ == "ReplicaSet" || kind_ == "StatefulSet";
        return !among(name, kNowhere) && !(has_selector && in == "spec" && name == "template");
    }

    std::string& out_;
    std::string_view kind_;
    bool whole_;
};

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            out += '\\';
            out += letter;
        } else if (byte < 0x20) {
            out += "\\u00";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += letter;
        }
    }
    out += '"';
}

void append_whole(std::string& out, const Value& object) { Trimming(out, "", true).append(object, ""); }

void append_trimmed(std::string& out, std::string_view kind, const Value& object) {
    Trimming(out, kind, false).append(object, "");
}

}  // namespace bayplan::kube
