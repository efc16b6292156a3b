// See pod_book.h.
#include "cli/pod_book.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

constexpr char kIncarnationMark = '~';
constexpr PodIndex kNoPod = std::numeric_limits<PodIndex>::max();

}  // namespace

PodBook::PodBook(const workload::Workload& load) : load_(load), pods_(load.pods.size()) {
    counts_[static_cast<std::size_t>(PodState::unasked)] = pods_.size();
    pod_index_.reserve(pods_.size());
    for (PodIndex i = 0; i < pods_.size(); ++i) {
        pod_index_.emplace(load.pods[i].name, i);
    }
    node_index_.reserve(load.nodes.size());
    for (NodeIndex i = 0; i < load.nodes.size(); ++i) {
        node_index_.emplace(node_names_.emplace_back(load.nodes[i].name), i);
    }
    for (PodIndex i = 0; i < pods_.size(); ++i) {
        if (load.pods[i].runs_on >= 0) {
            set_state(i, PodState::placed);
            pods_[i].node = static_cast<NodeIndex>(load.pods[i].runs_on);
        }
    }
}

std::string PodBook::key(PodIndex pod) const {
    const std::uint32_t incarnation = pods_[pod].incarnation;
    const std::string& name = load_.pods[pod].name;
    return incarnation == 0 ? name : fmt::format("{}{}{}", name, kIncarnationMark, incarnation);
}

std::optional<NodeIndex> PodBook::find_node(std::string_view name) const {
    const auto found = node_index_.find(name);
    const bool own = found != node_index_.end() && found->second < load_.nodes.size();
    return own ? std::optional(found->second) : std::nullopt;
}

NodeIndex PodBook::node_of_any(std::string_view name) {
    const auto found = node_index_.find(name);
    if (found != node_index_.end()) {
        return found->second;
    }
    const auto node = static_cast<NodeIndex>(node_names_.size());
    node_index_.emplace(node_names_.emplace_back(name), node);
    return node;
}

std::optional<PodIndex> PodBook::split_key(std::string_view key, std::uint32_t& incarnation) const {
    incarnation = 0;
    auto found = pod_index_.find(key);
    if (found == pod_index_.end()) {
        const std::size_t mark = key.rfind(kIncarnationMark);
        if (mark == std::string_view::npos) {
            return std::nullopt;
        }
        const char* const end = key.data() + key.size();
        const auto [last, code] = std::from_chars(key.data() + mark + 1, end, incarnation);
        found = pod_index_.find(key.substr(0, mark));
        if (code != std::errc() || last != end || found == pod_index_.end()) {
            return std::nullopt;
        }
    }
    return found->second;
}

std::optional<PodIndex> PodBook::find(std::string_view key, bool& current) const {
    std::uint32_t incarnation = 0;
    const std::optional<PodIndex> pod = split_key(key, incarnation);
    current = pod && pods_[*pod].incarnation == incarnation;
    return pod;
}

void PodBook::set_state(PodIndex pod, PodState state) {
    --counts_[static_cast<std::size_t>(pods_[pod].state)];
    ++counts_[static_cast<std::size_t>(state)];
    pods_[pod].state = state;
    pods_[pod].doomed = false;
    if (state != PodState::placed && state != PodState::finished) {
        pods_[pod].node = kNoNode;
    }
}

bool PodBook::is_asking(PodIndex pod) const {
    return pods_[pod].state == PodState::asked || pods_[pod].state == PodState::waiting;
}

// --- what the shim does

void PodBook::ask(PodIndex pod, std::int64_t intended_ns) {
    pods_[pod].intended_ns = intended_ns;
    set_state(pod, PodState::asked);
}

// The daemon says nothing more of it until it has another place: it waits, and we know why.
void PodBook::refuse(PodIndex pod) {
    pods_[pod].reason = reason_id("place refused by the shim, no other one since");
    set_state(pod, PodState::waiting);
}

void PodBook::renew(PodIndex pod) {
    ++pods_[pod].incarnation;
    set_state(pod, PodState::unasked);
}

void PodBook::finish(PodIndex pod) { set_state(pod, PodState::finished); }

void PodBook::doom(PodIndex pod) { pods_[pod].doomed = true; }

// --- what the daemon says

Told PodBook::allocated(std::string_view key, std::string_view node, PodIndex& pod) {
    bool current = false;
    const std::optional<PodIndex> found = find(key, current);
    if (!found || !current || !is_asking(*found)) {
        return Told::doubled;
    }
    pod = *found;
    set_state(pod, PodState::placed);
    pods_[pod].node = node_of_any(node);
    return Told::news;
}

// A pod whose place the shim refuses waits in these books, while the daemon, not yet knowing
// of the refusal, may release it.
Told PodBook::released(std::string_view key, PodIndex& pod) {
    bool current = false;
    const std::optional<PodIndex> found = find(key, current);
    if (!found || !current || (pods_[*found].state != PodState::placed && !is_asking(*found))) {
        return Told::stale;
    }
    pod = *found;
    return Told::news;
}

Told PodBook::waiting(std::string_view key, std::string_view why) {
    bool current = false;
    const std::optional<PodIndex> pod = find(key, current);
    if (!pod || !current || !is_asking(*pod)) {
        return Told::stale;
    }
    pods_[*pod].reason = reason_id(why);
    set_state(*pod, PodState::waiting);
    return Told::news;
}

// Answers to releases come as rejected asks, too; then the pod is not in a state of asking.
Told PodBook::rejected(std::string_view key, std::string_view why) {
    bool current = false;
    const std::optional<PodIndex> pod = find(key, current);
    if (!pod || !current || pods_[*pod].state != PodState::asked) {
        return Told::stale;
    }
    pods_[*pod].reason = reason_id(why);
    set_state(*pod, PodState::rejected);
    return Told::news;
}

void PodBook::forget_words() {
    for (PodIndex pod = 0; pod < pods_.size(); ++pod) {
        if (pods_[pod].state == PodState::waiting || pods_[pod].state == PodState::rejected) {
            set_state(pod, PodState::asked);
        }
    }
}

// --- from a journal

PodIndex PodBook::restore(std::string_view key) {
    std::uint32_t incarnation = 0;
    const std::optional<PodIndex> pod = split_key(key, incarnation);
    if (!pod) {
        return kNoPod;
    }
    pods_[*pod].incarnation = incarnation;
    return *pod;
}

bool PodBook::restore_placed(std::string_view key, std::string_view node, std::string_view devices) {
    const PodIndex pod = restore(key);
    if (pod == kNoPod) {
        return false;
    }
    set_state(pod, PodState::placed);
    pods_[pod].node = node_of_any(node);
    set_devices(pod, devices);
    return true;
}

// The next incarnation is asked for: whether this one had been, the resync makes void.
bool PodBook::restore_gone(std::string_view key) {
    const PodIndex pod = restore(key);
    if (pod != kNoPod) {
        renew(pod);
    }
    return pod != kNoPod;
}

bool PodBook::restore_finished(std::string_view key) {
    const PodIndex pod = restore(key);
    if (pod != kNoPod) {
        finish(pod);
    }
    return pod != kNoPod;
}

void PodBook::restore_node_lost(NodeIndex node) {
    for (PodIndex pod = 0; pod < pods_.size(); ++pod) {
        if (pods_[pod].node == node && pods_[pod].state == PodState::placed) {
            renew(pod);
        }
    }
}

// --- what a report says

std::uint32_t PodBook::reason_id(std::string_view why) {
    const auto found = reason_ids_.find(why);
    if (found != reason_ids_.end()) {
        return found->second;
    }
    const auto id = static_cast<std::uint32_t>(reason_ids_.size());
    reason_ids_.emplace(std::string(why), id);
    return id;
}

std::uint64_t PodBook::renewals() const {
    std::uint64_t all = 0;
    for (const PodEntry& pod : pods_) {
        all += pod.incarnation;
    }
    return all;
}

std::map<std::string, std::uint64_t> PodBook::reasons() const {
    std::vector<std::uint64_t> counts(reason_ids_.size());
    for (const PodEntry& pod : pods_) {
        if (pod.state == PodState::waiting || pod.state == PodState::rejected) {
            ++counts[pod.reason];
        }
    }
    std::map<std::string, std::uint64_t> all;
    for (const auto& [text, id] : reason_ids_) {
        if (counts[id] != 0) {
            all.emplace(text, counts[id]);
        }
    }
    return all;
}

std::vector<std::string> PodBook::overcommitted() const {
    std::vector<std::map<std::string_view, std::int64_t>> used(load_.nodes.size());
    for (PodIndex pod = 0; pod < pods_.size(); ++pod) {
        // Of other shims' nodes neither the capacity nor the other pods are known here.
        if (pods_[pod].state == PodState::placed && pods_[pod].node < used.size()) {
            for (const auto& [kind, value] : load_.pod_shapes[load_.pods[pod].shape]) {
                used[pods_[pod].node][kind] += value;
            }
        }
    }
    std::vector<std::string> broken;
    for (NodeIndex node = 0; node < used.size(); ++node) {
        std::map<std::string_view, std::int64_t> free = used[node];
        for (auto& [kind, value] : free) {
            value = -value;
        }
        for (const auto& [kind, value] : load_.node_shapes[load_.nodes[node].shape].capacity) {
            free[kind] += value;
        }
        for (const auto& [kind, value] : free) {
            if (value < 0) {
                broken.push_back(fmt::format("{}: {} too much {}", load_.nodes[node].name, -value, kind));
            }
        }
    }
    find_overcommitted_devices(broken);
    return broken;
}

void PodBook::set_devices(PodIndex pod, std::string_view devices) {
    if (devices.empty()) {
        devices_.erase(pod);
    } else {
        devices_[pod] = devices;
    }
}

std::string_view PodBook::devices(PodIndex pod) const {
    const auto found = devices_.find(pod);
    return found == devices_.end() ? std::string_view{} : std::string_view(found->second);
}

// Each device that a pod has is used by 1000 of its amount, the last one by the rest.
void PodBook::find_overcommitted_devices(std::vector<std::string>& broken) const {
    constexpr std::int64_t kDevice = 1'000;
    std::map<std::pair<NodeIndex, std::string>, std::int64_t> used;  // by node and KIND=NUMBER
    for (const auto& [pod, text] : devices_) {
        if (pods_[pod].state != PodState::placed) {
            continue;
        }
        for (std::string_view rest = text; !rest.empty();) {
            std::string_view entry = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
            if (entry.starts_with('@')) {  // @CLAIM REQUEST DRIVER POOL DEVICE: a claim has the device whole
                const std::size_t request = entry.find(' ');
                used[{pods_[pod].node, std::string(entry.substr(entry.find(' ', request + 1) + 1))}] += kDevice;
                continue;
            }
            const std::string kind(entry.substr(0, entry.find('=')));
            entry.remove_prefix(std::min(kind.size() + 1, entry.size()));
            std::int64_t amount = 0;
            for (const auto& [name, value] : load_.pod_shapes[load_.pods[pod].shape]) {
                amount += name == kind ? value : 0;
            }
            while (!entry.empty()) {
                const std::string_view number = entry.substr(0, entry.find('+'));
                entry.remove_prefix(std::min(number.size() + 1, entry.size()));
                const std::int64_t part = std::min(amount, kDevice);
                used[{pods_[pod].node, kind + "=" + std::string(number)}] += part;
                amount -= part;
            }
        }
    }
    for (const auto& [device, amount] : used) {
        if (amount > kDevice) {
            broken.push_back(
                fmt::format("{}: device {} is used by {}", node_names_[device.first], device.second, amount));
        }
    }
}

}  // namespace bayplan::cli
