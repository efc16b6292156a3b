// Pods that ask for extended resources which devices stand for: their claims, as the partition is told of them, and what is to
// be made of them when they are placed. See books.h.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube_shim/books.h"

namespace bayplan::kube_shim {

namespace {

std::string_view name_in(std::string_view key) { return key.substr(key.find('/') + 1); }
std::string_view space_in(std::string_view key) { return key.substr(0, key.find('/')); }

std::string object_name(std::string_view key) {
    return fmt::format("ResourceClaim {}/{}", space_in(key), kube::extended_claim_name(name_in(key)));
}

}  // namespace

// True: its statement is another one.
bool Books::renew_extended_claim(const std::string& key, BookedPod& pod,
                                 const std::shared_ptr<const kube::PodExtended>& asks) {
    kube::ExtendedResources* const extended = converter_.extended();
    if (extended == nullptr || asks == nullptr) {
        return false;
    }
    extended_pods_.insert(key);
    if (pod.extended == nullptr) {
        pod.extended = std::make_unique<BookedPod::Extended>();
    }
    pod.extended->asks = asks;
    if (pod.node != 0 || pod.assumed_node != 0) {
        return false;  // its claim stays as it is
    }
    if (extended->note(asks->uses)) {
        renew_kinds();
    }
    const bool had = pod.has_extended_claim();
    pod.extended->claim = extended->requests_for(asks->uses, converter_.texts());
    if (pod.has_extended_claim()) {
        put_object(object_name(key),
                   kube::extended_claim(pod.extended->claim, space_in(key), name_in(key), pod.uid, converter_.texts()));
    } else if (had) {
        drop_object(object_name(key));
    }
    return had != pod.has_extended_claim();
}

void Books::drop_extended_claim(const std::string& key, const BookedPod& pod) {
    extended_pods_.erase(key);
    if (pod.has_extended_claim()) {
        drop_object(object_name(key));
    }
}

// The kinds of classes, as far as pods ask for them.
void Books::renew_kinds() {
    for (const std::string& name : named_["DeviceClass"]) {
        const auto found = objects_.find(name);
        auto* const one = found == objects_.end() ? nullptr : std::get_if<DeviceClass>(&found->second.made);
        std::vector<Text> kinds =
            one == nullptr ? std::vector<Text>() : converter_.extended()->kinds_of(text(one->name), converter_.texts());
        if (one != nullptr && one->kinds != kinds) {
            one->kinds = std::move(kinds);
            if (!std::exchange(found->second.queued, true)) {
                queue(Entry::object, name);
            }
        }
    }
}

void Books::classes_changed() {
    if (converter_.extended() == nullptr) {
        return;
    }
    renew_kinds();
    const std::vector<std::string> keys(extended_pods_.begin(), extended_pods_.end());
    for (const std::string& key : keys) {
        BookedPod* const pod = find(key);
        if (pod != nullptr && pod->extended != nullptr &&
            renew_extended_claim(key, *pod, std::shared_ptr(pod->extended->asks))) {
            queue_pod(key, *pod);
        }
    }
}

// Of a node that has some of the resources by itself only the others' requests got devices.
void Books::add_extended(const std::string& key, const BookedPod& pod, std::string_view node, std::string_view devices,
                         ClaimSteps& steps) {
    if (!pod.has_extended_claim()) {
        return;
    }
    auto given = devices_by_claim(devices);
    const auto found = given.find(kube::extended_claim_name(name_in(key)));
    if (found == given.end()) {
        return;
    }
    DeviceStep& step = steps.devices.emplace_back();
    step.devices = std::move(found->second);
    limit_nodes(node, step);
    const auto is_given = [&](const std::string& request) {
        return std::ranges::any_of(step.devices, [&](const GivenDevice& one) { return one.request == request; });
    };
    ClaimToMake& makes = step.makes.emplace();
    for (const kube::ExtendedRequest& one : pod.extended->claim.requests) {
        if (is_given(one.name)) {
            makes.requests.push_back({one.name, one.device_class, one.count});
        }
    }
    for (const kube::ExtendedMapping& one : pod.extended->claim.mappings) {
        if (is_given(one.request)) {
            makes.mappings.push_back({one.container, std::string(text(one.resource)), one.request});
        }
    }
    makes.former = extended_claims_of(pod.uid);
}

// --- claims that schedulers have made for such pods

void Books::note_claim_object(const std::string& name, const kube::Value& object) {
    const kube::Value& metadata = object["metadata"];
    forget_claim_object(name);
    if (converter_.extended() == nullptr || metadata["annotations"][kube::kExtendedClaimAnnotation].text() != "true") {
        return;
    }
    for (const kube::Value& owner : metadata["ownerReferences"].items()) {
        if (owner["kind"].text() == "Pod") {
            const std::string uid(owner["uid"].text());
            extended_claims_[name.substr(name.find(' ') + 1)] = uid;
            extended_claims_of_[uid].insert(name.substr(name.find(' ') + 1));
        }
    }
}

void Books::forget_claim_object(const std::string& name) {
    const auto found = extended_claims_.find(name.substr(name.find(' ') + 1));
    if (found == extended_claims_.end()) {
        return;
    }
    Seen& of_pod = extended_claims_of_[found->second];
    of_pod.erase(found->first);
    if (of_pod.empty()) {
        extended_claims_of_.erase(found->second);
    }
    extended_claims_.erase(found);
}

std::vector<std::string> Books::extended_claims_of(const std::string& uid) const {
    const auto found = extended_claims_of_.find(uid);
    std::vector<std::string> claims;
    if (found != extended_claims_of_.end()) {
        claims.assign(found->second.begin(), found->second.end());
        std::ranges::sort(claims);
    }
    return claims;
}

}  // namespace bayplan::kube_shim
