// Messages with numbers of the converter's tables as statements of the client library, which have texts.
//
// Thread: one. A statement refers to its message and to this object's vectors.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bayplan/client.h"

namespace bayplan::kube_shim {

class Statements {
public:
    explicit Statements(const TextOf& text_of) : text_of_(text_of) {}

    NodeStatement node(const NodeItem&);
    PodStatement pod(const AskItem&);
    ApplicationStatement application(const ApplicationItem&);
    std::span<const std::string_view> texts(std::span<const DictId>);

private:
    std::string_view text(DictId id) const { return id == 0 ? std::string_view() : text_of_(id); }
    std::span<const NamedAmount> amounts(std::span<const Amount>);
    std::span<const NamedAttribute> attributes(std::span<const Attribute>);

    const TextOf& text_of_;
    // A deque's elements stay where they are.
    std::deque<std::vector<NamedAmount>> amounts_;
    std::deque<std::vector<NamedAttribute>> attributes_;
    std::deque<std::vector<NamedTaint>> taints_;
    std::deque<std::vector<std::string_view>> texts_;
};

// `submit(span)` takes all of the items or none. A batch that breaks a limit is submitted item by item, so that one bad item
// costs itself alone. False: there is no room; nothing of it was taken, or what was is harmless to state again.
template <typename Item, typename Submit>
bool submit_all(const std::vector<Item>& items, Submit submit,
                const std::function<void(const std::string&)>& on_fault) {
    const Submitted whole = submit(std::span<const Item>(items));
    for (std::size_t i = 0; whole == Submitted::invalid && i < items.size(); ++i) {
        const Submitted one = submit(std::span<const Item>(&items[i], 1));
        if (one == Submitted::full) {
            return false;
        }
        if (one == Submitted::invalid) {
            on_fault("a statement breaks a limit of the protocol and is left out");
        }
    }
    return whole != Submitted::full;
}

// To a Client, or to the StateWriter of a resync, to which nothing is taken back.
template <typename Target>
bool submit_statements(Target& target, const StateBody& body, const TextOf& text_of,
                       const std::function<void(const std::string&)>& on_fault) {
    Statements made(text_of);
    if (const auto* const nodes = std::get_if<NodesMessage>(&body)) {
        std::vector<NodeStatement> items;
        for (const NodeItem& item : nodes->nodes) {
            items.push_back(made.node(item));
        }
        return submit_all(
            items, [&](auto some) { return target.nodes(some); }, on_fault);
    }
    if (const auto* const asks = std::get_if<AsksMessage>(&body)) {
        std::vector<PodStatement> items;
        for (const AskItem& item : asks->asks) {
            items.push_back(made.pod(item));
        }
        return submit_all(
            items, [&](auto some) { return target.pods(some); }, on_fault);
    }
    if (const auto* const applications = std::get_if<ApplicationsMessage>(&body)) {
        if constexpr (requires { target.forget(std::span<const std::string_view>()); }) {
            if (!applications->remove.empty()) {
                return target.applications({}, made.texts(applications->remove)) != Submitted::full;
            }
        }
        std::vector<ApplicationStatement> items;
        for (const ApplicationItem& item : applications->add) {
            items.push_back(made.application(item));
        }
        return submit_all(
            items, [&](auto some) { return target.applications(some); }, on_fault);
    }
    if (const auto* const objects = std::get_if<ObjectsMessage>(&body)) {
        const std::vector<ObjectItem> items(objects->objects.begin(), objects->objects.end());
        return submit_all(
            items, [&](auto some) { return target.objects(some, text_of); }, on_fault);
    }
    if constexpr (requires { target.releases(std::span<const ReleaseStatement>()); }) {
        if (const auto* const specs = std::get_if<SpecsMessage>(&body)) {
            return target.specs({}, text_of, specs->forget) != Submitted::full;
        }
        if (const auto* const gone = std::get_if<ForgetMessage>(&body)) {
            return target.forget(made.texts(gone->ids)) != Submitted::full;
        }
        if (const auto* const releases = std::get_if<ReleasesMessage>(&body)) {
            std::vector<ReleaseStatement> items;
            for (const ReleaseItem& item : releases->releases) {
                items.push_back(
                    {.key = item.key, .application = {}, .termination = item.termination, .message = item.message});
            }
            return submit_all(
                items, [&](auto some) { return target.releases(some); }, on_fault);
        }
        if (const auto* const nacks = std::get_if<NacksMessage>(&body)) {
            const std::vector<NackItem> items(nacks->nacks.begin(), nacks->nacks.end());
            return submit_all(
                items, [&](auto some) { return target.nacks(some); }, on_fault);
        }
    }
    return true;
}

}  // namespace bayplan::kube_shim
