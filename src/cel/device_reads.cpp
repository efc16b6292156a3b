// A name counts where domain and id are written out; any other use of the device, but of its driver, reads everything.
// A variable that hides `device` can only make more be read. See device_reads.h.
#include "cel/device_reads.h"

#include <algorithm>
#include <optional>

namespace bayplan::cel {

namespace {

bool is_device(const Node& node) { return node.form == Form::name && node.name == "device"; }

// The key of object.key or object["key"], if it is written out.
std::optional<std::string> key_of(const Node& node) {
    if (node.form == Form::field) {
        return node.name;
    }
    if (node.form == Form::index && node.parts[1]->form == Form::literal && node.parts[1]->value.kind() == Kind::text) {
        return node.parts[1]->value.as<std::string>();
    }
    return std::nullopt;
}

class Reader {
public:
    void read(const Node& node) {
        if (is_device(node)) {
            reads_.everything = true;
        } else if (!reads_a_name(node) && !is_plain_field(node)) {
            for (const NodePtr& part : node.parts) {
                read(*part);
            }
        }
    }

    DeviceReads take() { return std::move(reads_); }

private:
    // The driver, which all that are compared share, and what is the same for every device.
    static bool is_plain_field(const Node& node) {
        return node.form == Form::field && is_device(*node.parts[0]) &&
               (node.name == "driver" || node.name == "allowMultipleAllocations");
    }

    // device.attributes["domain"] or device.capacity["domain"]: its domain, and which of the two.
    static std::optional<DeviceReads::Name> domain_of(const Node& node) {
        const std::optional<std::string> domain = key_of(node);
        if (!domain || node.parts[0]->form != Form::field || !is_device(*node.parts[0]->parts[0])) {
            return std::nullopt;
        }
        const std::string& map = node.parts[0]->name;
        if (map != "attributes" && map != "capacity") {
            return std::nullopt;
        }
        return DeviceReads::Name{map == "capacity", *domain, {}};
    }

    void note(DeviceReads::Name name, std::string id) {
        name.id = std::move(id);
        if (std::ranges::find(reads_.names, name) == reads_.names.end()) {
            reads_.names.push_back(std::move(name));
        }
    }

    // DOMAIN.id, DOMAIN["id"], or "id" in DOMAIN.
    bool reads_a_name(const Node& node) {
        if (node.form == Form::call && node.name == "_in_" && node.parts.size() == 2 &&
            node.parts[0]->form == Form::literal && node.parts[0]->value.kind() == Kind::text) {
            std::optional<DeviceReads::Name> domain = domain_of(*node.parts[1]);
            if (domain) {
                note(std::move(*domain), node.parts[0]->value.as<std::string>());
            }
            return domain.has_value();
        }
        const std::optional<std::string> id = key_of(node);
        std::optional<DeviceReads::Name> domain = id ? domain_of(*node.parts[0]) : std::nullopt;
        if (domain) {
            note(std::move(*domain), *id);
        }
        return domain.has_value();
    }

    DeviceReads reads_;
};

}  // namespace

DeviceReads reads_of(const Node& node) {
    Reader reader;
    reader.read(node);
    return reader.take();
}

}  // namespace bayplan::cel
