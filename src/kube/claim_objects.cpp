// Slices and classes of devices, claims on them, and the claims that a pod names. See objects.h and pod.h.
#include <algorithm>
#include <limits>

#include "base/utf8.h"
#include "kube/objects.h"
#include "kube/pod.h"

namespace bayplan::kube {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

constexpr std::size_t kPieceBytes = 512;  // of an expression: a text of a shim's dictionary

// Bytes of the next piece, which ends between characters.
std::size_t piece_of(std::string_view text) {
    return std::max(utf8_prefix(text, kPieceBytes).size(), std::min<std::size_t>(text.size(), 1));
}

Selectors selectors(Converter& convert, const Value& list) {
    Selectors out;
    for (const Value& item : convert.reader.items(list)) {
        const Value& expression = item["cel"]["expression"];
        std::string_view rest = convert.reader.text(expression);
        if (rest.size() <= kPieceBytes) {
            out.push_back(convert.needed(item["cel"], "expression"));
            continue;
        }
        for (bool first = true; !rest.empty(); first = false) {
            if (!first) {
                out.push_back(0);  // the pieces are one
            }
            const std::size_t bytes = piece_of(rest);
            out.push_back(convert.intern(expression, rest.substr(0, bytes)));
            rest.remove_prefix(bytes);
        }
    }
    return out;
}

DeviceAttribute attribute(Converter& convert, std::string_view name, const Value& value) {
    DeviceAttribute out;
    out.name = convert.intern(value, name);
    if (const Value& number = value["int"]; number.present()) {
        out.type = AttributeType::number;
        out.number = convert.reader.integer(number, 0, std::numeric_limits<std::int64_t>::min(), kMost);
    } else if (const Value& flag = value["bool"]; flag.present()) {
        out.type = AttributeType::boolean;
        out.number = convert.reader.flag(flag) ? 1 : 0;
    } else if (const Value& version = value["version"]; version.present()) {
        out.type = AttributeType::version;
        out.text = convert.text(version);
    } else {
        out.text = convert.text(value["string"]);
    }
    return out;
}

SliceDevice device(Converter& convert, const Value& value) {
    // resource.k8s.io/v1beta1 has a device's contents one level deeper.
    const Value& inside = value["basic"].present() ? value["basic"] : value;
    SliceDevice out;
    out.name = convert.needed(value, "name");
    for (const Member& member : convert.reader.members(inside["attributes"])) {
        out.attributes.push_back(attribute(convert, member.name, member.value));
    }
    for (const Member& member : convert.reader.members(inside["capacity"])) {
        out.capacities.push_back({convert.intern(member.value, member.name), convert.needed(member.value, "value")});
    }
    out.withheld = !convert.reader.items(inside["bindingConditions"]).empty() ||
                   !convert.reader.items(inside["consumesCounters"]).empty();
    return out;
}

void reach(Converter& convert, const Value& spec, ResourceSlice& out) {
    if (const Value& node = spec["nodeName"]; !convert.reader.text(node).empty()) {
        out.reach = SliceReach::node;
        out.node = convert.text(node);
    } else if (const Value& terms = spec["nodeSelector"]["nodeSelectorTerms"]; terms.present()) {
        out.reach = SliceReach::selected_nodes;
        const std::vector<NodeTerm> all = convert.node_terms(terms);
        if (all.size() == 1) {
            out.nodes = all.front();
        } else {
            convert.reader.fault(terms, "is not one term");
        }
    } else if (convert.reader.flag(spec["allNodes"])) {
        out.reach = SliceReach::all_nodes;
    }
    out.hidden = spec["perDeviceNodeSelection"].present() || !convert.reader.items(spec["sharedCounters"]).empty();
}

DeviceDemand demand(Converter& convert, const Value& value, Text name) {
    DeviceDemand out;
    out.name = name;
    out.device_class = convert.needed(value, "deviceClassName");
    out.selectors = selectors(convert, value["selectors"]);
    const std::string_view mode = convert.reader.text(value["allocationMode"]);
    if (!mode.empty() && mode != "All" && mode != "ExactCount") {
        convert.reader.fault(value["allocationMode"], "'" + std::string(mode) + "' is no allocation mode");
    }
    out.all = mode == "All";
    out.count = convert.reader.integer(value["count"], 1, 0, kMost);
    out.admin_access = convert.reader.flag(value["adminAccess"]);
    return out;
}

DeviceRequest request(Converter& convert, const Value& value) {
    DeviceRequest out;
    out.name = convert.needed(value, "name");
    const Value& list = value["firstAvailable"];
    out.prioritised = !convert.reader.items(list).empty();
    if (out.prioritised) {
        for (const Value& item : convert.reader.items(list)) {
            out.demands.push_back(demand(convert, item, convert.needed(item, "name")));
        }
    } else {
        out.demands.push_back(demand(convert, value["exactly"].present() ? value["exactly"] : value, out.name));
    }
    return out;
}

DeviceAllocation allocation(Converter& convert, const Value& value) {
    DeviceAllocation out;
    for (const Value& item : convert.reader.items(value["devices"]["results"])) {
        out.devices.push_back({convert.text(item["request"]), convert.text(item["driver"]), convert.text(item["pool"]),
                               convert.text(item["device"]), convert.reader.flag(item["adminAccess"])});
    }
    if (value["nodeSelector"].present()) {
        out.nodes = convert.node_terms(value["nodeSelector"]["nodeSelectorTerms"]);
    }
    return out;
}

}  // namespace

ResourceSlice convert_slice(Converter& convert) {
    const Value& root = convert.reader.root();
    const Value& spec = root["spec"];
    ResourceSlice out;
    out.name = convert.needed(root["metadata"], "name");
    out.driver = convert.needed(spec, "driver");
    out.pool = convert.needed(spec["pool"], "name");
    out.generation = convert.reader.integer(spec["pool"]["generation"], 0, 0, kMost);
    out.pool_slices = convert.reader.integer(spec["pool"]["resourceSliceCount"], 0, 0, kMost);
    reach(convert, spec, out);
    for (const Value& item : convert.reader.items(spec["devices"])) {
        out.devices.push_back(device(convert, item));
    }
    return out;
}

DeviceClass convert_device_class(Converter& convert) {
    const Value& root = convert.reader.root();
    return {convert.needed(root["metadata"], "name"), selectors(convert, root["spec"]["selectors"])};
}

ResourceClaim convert_resource_claim(Converter& convert) {
    const Value& root = convert.reader.root();
    const Value& metadata = root["metadata"];
    const Value& devices = root["spec"]["devices"];
    ResourceClaim out;
    out.name_space = convert.intern(metadata["namespace"], convert.name_space());
    out.name = convert.needed(metadata, "name");
    out.deleting = metadata["deletionTimestamp"].present();
    out.owner_uid = convert.text(convert.controller(metadata)["uid"]);
    for (const Value& item : convert.reader.items(devices["requests"])) {
        out.requests.push_back(request(convert, item));
    }
    for (const Value& item : convert.reader.items(devices["constraints"])) {
        out.constraints.push_back({convert.text_list(item["requests"]), convert.text(item["matchAttribute"])});
    }
    if (root["status"]["allocation"].present()) {
        out.allocation = allocation(convert, root["status"]["allocation"]);
    }
    for (const Value& item : convert.reader.items(root["status"]["reservedFor"])) {
        out.reserved_for.push_back(convert.text(item["uid"]));
    }
    return out;
}

PodResourceClaims pod_resource_claims(Converter& convert, const Value& pod) {
    PodResourceClaims out;
    const Value& statuses = pod["status"]["resourceClaimStatuses"];
    for (const Value& item : convert.reader.items(pod["spec"]["resourceClaims"])) {
        PodResourceClaim claim{.entry = convert.needed(item, "name"), .source = ClaimSource::unset, .claim = 0};
        if (const Value& name = item["resourceClaimName"]; name.present()) {
            claim.source = ClaimSource::named;
            claim.claim = convert.text(name);
        } else if (item["resourceClaimTemplateName"].present()) {
            const Value& status = convert.reader.item_named(statuses, item["name"].text());
            claim.source = status.present() ? ClaimSource::made : ClaimSource::not_made;
            claim.claim = convert.text(status["resourceClaimName"]);
            if (claim.source == ClaimSource::made && claim.claim == 0) {
                continue;  // no claim is needed
            }
        }
        out.claims.push_back(claim);
    }
    if (!convert.reader.items(pod["spec"]["resourceClaims"]).empty()) {
        out.pod = convert.text(pod["metadata"]["name"]);
        out.uid = convert.text(pod["metadata"]["uid"]);
    }
    return out;
}

}  // namespace bayplan::kube
