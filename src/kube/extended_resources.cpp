// See extended_resources.h.
#include "kube/extended_resources.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kube/resource_names.h"

namespace bayplan::kube {

namespace {

constexpr std::string_view kClassPrefix = "deviceclass.resource.kubernetes.io/";

bool may_be_served(std::string_view resource) {
    return is_extended_resource(resource) || resource.starts_with(kClassPrefix);
}

void add_uses(Converter& convert, const Value& container, std::uint32_t number, bool init,
              std::vector<ExtendedUse>& uses) {
    Reader& reader = convert.reader;
    std::vector<std::string_view> names;
    for (const Member& member : reader.members(container["resources"]["requests"])) {
        names.push_back(member.name);
    }
    std::ranges::sort(names);
    for (const Member& member : reader.members(container["resources"]["requests"])) {
        if (!may_be_served(member.name)) {
            continue;
        }
        const std::int64_t count = whole_items(convert.amount(member.value)).value;
        if (count > 0) {
            const auto position = std::ranges::lower_bound(names, std::string_view(member.name)) - names.begin();
            uses.push_back({convert.intern(member.value, member.name), count, number,
                            static_cast<std::uint32_t>(position),
                            init && reader.text(container["restartPolicy"]) != "Always",
                            std::string(reader.text(container["name"]))});
        }
    }
}

// The requests of one resource.
class OfResource {
public:
    OfResource(std::string_view device_class, Text resource) : class_(device_class), resource_(resource) {}

    void take(const std::vector<ExtendedUse>& uses) {
        for (const ExtendedUse& use : uses) {
            if (use.resource == resource_ && !use.short_lived) {
                add(use, 0);
            }
        }
        for (const ExtendedUse& use : uses) {
            if (use.resource == resource_ && use.short_lived) {
                take_short_lived(use);
            }
        }
    }

    void give(ExtendedRequests& all) {
        if (largest_) {
            all.requests.push_back(*largest_);
            // Short-lived containers run one after the other: the largest request serves them all.
            for (ExtendedMapping& mapping : short_lived_) {
                mapping.request = mapping.request.empty() ? largest_->name : mapping.request;
            }
        }
        for (auto& [container, request] : requests_) {
            all.requests.push_back(std::move(request));
        }
        std::ranges::move(mappings_, std::back_inserter(all.mappings));
        std::ranges::move(short_lived_, std::back_inserter(all.mappings));
    }

private:
    ExtendedRequest made(const ExtendedUse& use, std::int64_t less) const {
        return {"container-" + std::to_string(use.container) + "-request-" + std::to_string(use.position),
                std::string(class_), use.count - less, resource_};
    }

    void add(const ExtendedUse& use, std::int64_t less) {
        ExtendedRequest request = made(use, less);
        mappings_.push_back({use.container_name, resource_, request.name});
        requests_.emplace(use.container, std::move(request));
    }

    // It uses what containers that start after it will have, and asks for what these lack.
    void take_short_lived(const ExtendedUse& use) {
        std::int64_t has = 0;
        for (auto at = requests_.lower_bound(use.container); at != requests_.end() && has < use.count; ++at) {
            has += at->second.count;
            short_lived_.push_back({use.container_name, resource_, at->second.name});
        }
        if (has >= use.count) {
            return;
        }
        ExtendedRequest request = made(use, has);
        short_lived_.push_back({use.container_name, resource_, {}});
        if (!largest_ || largest_->count < request.count) {
            largest_ = std::move(request);
        }
    }

    const std::string_view class_;
    const Text resource_;
    std::map<std::uint32_t, ExtendedRequest> requests_;  // by container
    std::optional<ExtendedRequest> largest_;
    std::vector<ExtendedMapping> mappings_;
    std::vector<ExtendedMapping> short_lived_;  // no request: the largest
};

}  // namespace

std::vector<ExtendedUse> extended_uses(Converter& convert, const Value& pod) {
    constexpr std::size_t kNameMost = 253;  // of an object that an API server takes
    const Value& metadata = pod["metadata"];
    std::vector<ExtendedUse> uses;
    if (metadata["name"].text().size() > kNameMost || metadata["uid"].text().size() > kNameMost) {
        return uses;
    }
    std::uint32_t number = 0;
    for (const Value& container : convert.reader.items(pod["spec"]["initContainers"])) {
        add_uses(convert, container, number++, true, uses);
    }
    for (const Value& container : convert.reader.items(pod["spec"]["containers"])) {
        add_uses(convert, container, number++, false, uses);
    }
    return uses;
}

void ExtendedResources::take(Converter& convert) {
    const Value& root = convert.reader.root();
    classes_[std::string(convert.reader.text(root["metadata"]["name"]))] = {
        std::string(convert.reader.text(root["spec"]["extendedResourceName"])),
        convert.reader.seconds(root["metadata"]["creationTimestamp"], 0)};
}

std::string_view ExtendedResources::class_for(std::string_view resource) const {
    if (resource.starts_with(kClassPrefix)) {
        const auto found = classes_.find(resource.substr(kClassPrefix.size()));
        return found == classes_.end() ? std::string_view() : std::string_view(found->first);
    }
    std::string_view name;
    std::int64_t created_s = 0;
    for (const auto& [candidate, one] : classes_) {  // by name
        if (!one.resource.empty() && one.resource == resource && (name.empty() || one.created_s > created_s)) {
            name = candidate;
            created_s = one.created_s;
        }
    }
    return name;
}

bool ExtendedResources::note(const std::vector<ExtendedUse>& uses) {
    bool any = false;
    for (const ExtendedUse& use : uses) {
        any = noted_.insert(use.resource).second || any;
    }
    return any;
}

std::vector<Text> ExtendedResources::kinds_of(std::string_view device_class, const Texts& texts) const {
    std::vector<Text> kinds;
    std::ranges::copy_if(noted_, std::back_inserter(kinds),
                         [&](Text resource) { return class_for(texts.text(resource)) == device_class; });
    return kinds;
}

ExtendedRequests ExtendedResources::requests_for(const std::vector<ExtendedUse>& uses, const Texts& texts) const {
    std::map<std::string_view, Text> resources;
    for (const ExtendedUse& use : uses) {
        resources.emplace(texts.text(use.resource), use.resource);
    }
    ExtendedRequests all;
    for (const auto& [name, resource] : resources) {
        if (const std::string_view device_class = class_for(name); !device_class.empty()) {
            OfResource one(device_class, resource);
            one.take(uses);
            one.give(all);
        }
    }
    std::ranges::sort(all.requests, {}, &ExtendedRequest::name);
    return all;
}

std::string extended_claim_name(std::string_view pod) { return "<extended-resources>" + std::string(pod); }

ResourceClaim extended_claim(const ExtendedRequests& all, std::string_view name_space, std::string_view pod,
                             std::string_view uid, Texts& texts) {
    ResourceClaim claim;
    claim.name_space = texts.id(name_space);
    claim.name = texts.id(extended_claim_name(pod));
    claim.owner_uid = texts.id(uid);
    for (const ExtendedRequest& one : all.requests) {
        DeviceRequest& request = claim.requests.emplace_back();
        request.name = texts.id(one.name);
        request.kind = one.resource;
        DeviceDemand& demand = request.demands.emplace_back();
        demand.name = request.name;
        demand.device_class = texts.id(one.device_class);
        demand.count = one.count;
    }
    return claim;
}

void add_extended_claim(PodSpec& spec, std::string_view pod, std::string_view uid, Texts& texts) {
    PodResourceClaims& claims = spec.resource_claims;
    claims.pod = texts.id(pod);
    claims.uid = texts.id(uid);
    const Text name = texts.id(extended_claim_name(pod));
    claims.claims.push_back({name, ClaimSource::made, name});
}

}  // namespace bayplan::kube
