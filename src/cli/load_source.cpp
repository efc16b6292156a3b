// See load_source.h.
#include "cli/load_source.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cli/load_plugin.h"

namespace bayplan::cli {

namespace {

constexpr std::size_t kPortion = 512;  // statements between two looks at the room

std::vector<NamedAmount> named(const workload::Amounts& amounts) {
    std::vector<NamedAmount> all;
    for (const auto& [kind, value] : amounts) {
        all.push_back({kind, value});
    }
    return all;
}

}  // namespace

LoadSource::LoadSource(const LoadOptions& options, PodBook& book, const std::set<NodeIndex>& lost_nodes)
    : options_(options),
      book_(book),
      lost_nodes_(lost_nodes),
      claims_(book, options.device_claims, options.claims_allocated) {
    for (const workload::NodeShape& shape : book.load().node_shapes) {
        node_amounts_.push_back(named(shape.capacity));
        std::vector<NamedAttribute>& attributes = node_attributes_.emplace_back();
        if (!shape.instance_type.empty()) {
            attributes.push_back({"instance-type", shape.instance_type});
        }
        node_devices_.emplace_back(shape.devices.begin(), shape.devices.end());
    }
    make_specs();
    for (const workload::Amounts& shape : book.load().pod_shapes) {
        pod_amounts_.push_back(named(shape));
    }
    for (std::uint32_t i = 0; i < options.applications; ++i) {
        applications_.push_back(fmt::format("load-{}", i));
    }
}

Text LoadSource::text_of(const std::string& wanted) {
    const auto found = std::find(spec_texts_.begin(), spec_texts_.end(), wanted);
    const auto at = found - spec_texts_.begin();
    if (found == spec_texts_.end()) {
        spec_texts_.push_back(wanted);
    }
    return static_cast<Text>(at + 1);
}

// A required node affinity to `instance-type`, if there are types.
SpecNumber LoadSource::make_spec(const std::vector<std::string>& types, bool needs_plugin) {
    SpecItem& record = specs_.emplace_back();
    record.number = static_cast<SpecNumber>(specs_.size());
    if (needs_plugin) {
        record.spec.plugins.push_back(text_of(std::string(LoadPlugin::kName)));
    }
    if (!types.empty()) {
        LabelRequirement requirement;
        requirement.key = text_of("instance-type");
        requirement.op = LabelOperator::in;
        for (const std::string& type : types) {
            requirement.values.push_back(text_of(type));
        }
        record.spec.required_nodes = std::vector<NodeTerm>(1);
        record.spec.required_nodes->front().labels.push_back(std::move(requirement));
    }
    return record.number;
}

// One for each list of types that a pod shape names; of a load without types no shape has any.
void LoadSource::make_specs() {
    std::vector<std::vector<std::string>> shapes = book_.load().pod_types;
    const auto make = [&](bool needs_plugin, std::vector<SpecNumber>& specs) {
        std::map<std::vector<std::string>, SpecNumber> numbers;
        for (const std::vector<std::string>& types : shapes) {
            const auto [number, fresh] = numbers.emplace(types, 0);
            if (fresh && (needs_plugin || !types.empty())) {
                number->second = make_spec(types, needs_plugin);
            }
            specs.push_back(number->second);
        }
    };
    make(false, pod_specs_);
    if (options_.serves_plugin()) {
        shapes.resize(book_.load().pod_shapes.size());
        make(true, plugin_specs_);
    }
}

SpecNumber LoadSource::spec_of(PodIndex pod) const {
    const std::vector<SpecNumber>& specs = options_.needs_plugin(pod) ? plugin_specs_ : pod_specs_;
    const std::uint32_t shape = book_.load().pods[pod].shape;
    return shape < specs.size() ? specs[shape] : 0;
}

void LoadSource::state_specs(StateWriter& writer) {
    if (!specs_.empty()) {
        writer.specs(specs_, [this](Text text) { return std::string_view(spec_texts_[text - 1]); });
    }
    specs_stated_ = true;
}

void LoadSource::begin() {
    book_.forget_words();
    // Their pods would be stated on a node that is not: they need another place.
    for (const NodeIndex node : lost_nodes_) {
        book_.restore_node_lost(node);
    }
    next_node_ = 0;
    next_pod_ = 0;
    claims_.begin();
    applications_stated_ = false;
    specs_stated_ = false;
}

bool LoadSource::state(StateWriter& writer) {
    while (!writer.full()) {
        if (!specs_stated_) {
            state_specs(writer);
        } else if (claims_.any() && claims_.state_specs(writer)) {
            continue;
        } else if (next_node_ < book_.load().nodes.size()) {
            state_nodes(writer);
        } else if (claims_.any() && claims_.state_objects(writer)) {
            continue;
        } else if (!applications_stated_) {
            state_applications(writer);
        } else if (next_pod_ < book_.size()) {
            state_pods(writer);
        } else {
            return true;
        }
    }
    return false;
}

void LoadSource::state_nodes(StateWriter& writer) {
    const std::vector<workload::Node>& nodes = book_.load().nodes;
    std::vector<NodeStatement> portion;
    for (; next_node_ < nodes.size() && portion.size() < kPortion; ++next_node_) {
        if (!lost_nodes_.contains(next_node_)) {
            const workload::Node& node = nodes[next_node_];
            portion.push_back({node.name,
                               NodeAction::create,
                               node_amounts_[node.shape],
                               node_attributes_[node.shape],
                               {},
                               {},
                               node_devices_[node.shape]});
        }
    }
    writer.nodes(portion);
}

void LoadSource::state_applications(StateWriter& writer) {
    std::vector<ApplicationStatement> all;
    for (const std::string& name : applications_) {
        all.push_back({name, options_.queue, {}});
    }
    writer.applications(all);
    applications_stated_ = true;
}

void LoadSource::state_pods(StateWriter& writer) {
    std::vector<PodIndex> who;
    for (; next_pod_ < book_.size() && who.size() < kPortion; ++next_pod_) {
        const PodState state = book_[next_pod_].state;
        if (state == PodState::asked || state == PodState::placed) {
            who.push_back(next_pod_);
        }
    }
    std::vector<std::string> keys;
    keys.reserve(who.size());
    std::vector<PodStatement> portion;
    for (const PodIndex pod : who) {
        portion.push_back(statement(pod, keys.emplace_back(book_.key(pod))));
    }
    writer.pods(portion);
}

PodStatement LoadSource::statement(PodIndex pod, const std::string& key) const {
    PodStatement statement;
    statement.key = key;
    statement.application = applications_[pod % applications_.size()];
    statement.priority = options_.priorities > 1
                             ? static_cast<std::int32_t>(std::uint64_t{pod} * options_.priorities / book_.size())
                             : book_.load().pods[pod].priority;
    statement.grace_period_s = static_cast<std::int32_t>((options_.grace_ns + 999'999'999) / 1'000'000'000);
    statement.terminating = book_[pod].doomed;
    statement.preempted = book_[pod].doomed;
    statement.requests = pod_amounts_[book_.load().pods[pod].shape];
    statement.spec = spec_of(pod);
    if (const workload::Pod& of_load = book_.load().pods[pod]; of_load.node >= 0) {
        statement.required_node = book_.node_name(static_cast<NodeIndex>(of_load.node));
        statement.daemonset = of_load.daemonset;
    }
    if (claims_.any()) {
        statement.spec = claims_.spec_of(pod);
    }
    if (book_[pod].state == PodState::placed) {
        statement.node = book_.node_name(book_[pod].node);
        // Devices of a claim are stated with the claim.
        statement.devices = claims_.any() ? std::string_view() : book_.devices(pod);
    }
    return statement;
}

}  // namespace bayplan::cli
