// See spec_table.h.
#include "kube/spec_table.h"

#include <optional>
#include <type_traits>
#include <utility>

#include <boost/container_hash/hash.hpp>

namespace bayplan::kube {

namespace {

class Words {
public:
    explicit Words(std::vector<std::uint32_t>& out) : out_(out) {}

    template <typename... Parts>
    void add(const Parts&... parts) {
        (one(parts), ...);
    }

private:
    void one(std::uint32_t word) { out_.push_back(word); }
    void one(std::int32_t word) { out_.push_back(static_cast<std::uint32_t>(word)); }
    void one(std::uint16_t word) { out_.push_back(word); }
    void one(bool word) { out_.push_back(word ? 1 : 0); }
    template <typename Enum>
        requires std::is_enum_v<Enum>
    void one(Enum word) { out_.push_back(static_cast<std::uint32_t>(word)); }
    template <typename Item>
    void one(const std::vector<Item>& list) {
        out_.push_back(static_cast<std::uint32_t>(list.size()));
        for (const Item& item : list) {
            one(item);
        }
    }
    template <typename Item>
    void one(const std::optional<Item>& item) {
        out_.push_back(item ? 1 : 0);
        if (item) {
            one(*item);
        }
    }
    void one(const Label& label) { add(label.key, label.value); }
    void one(const LabelRequirement& part) { add(part.key, part.op, part.values); }
    void one(const LabelSelector& selector) { add(selector.requirements); }
    void one(const NodeTerm& term) { add(term.labels, term.fields); }
    void one(const WeightedNodeTerm& term) { add(term.weight, term.term); }
    void one(const Toleration& part) { add(part.key, part.exists, part.value, part.effect); }
    void one(const PodTerm& term) { add(term.selector, term.namespaces, term.namespace_selector, term.topology_key); }
    void one(const WeightedPodTerm& term) { add(term.weight, term.term); }
    void one(const SpreadConstraint& part) {
        add(part.max_skew, part.topology_key, part.hard, part.selector, part.match_label_keys, part.min_domains,
            part.honor_node_affinity, part.honor_node_taints);
    }
    void one(const HostPort& port) { add(port.port, port.protocol, port.address); }
    void one(const PodVolume& volume) {
        add(volume.kind, volume.name, volume.driver, volume.pool, volume.monitors, volume.read_only);
    }

    std::vector<std::uint32_t>& out_;
};

}  // namespace

void append_words(const PodSpec& spec, std::vector<std::uint32_t>& out) {
    Words(out).add(spec.name_space, spec.labels, spec.node_selector, spec.required_nodes, spec.preferred_nodes,
                   spec.tolerations, spec.affinity, spec.anti_affinity, spec.preferred_affinity,
                   spec.preferred_anti_affinity, spec.spread, spec.ports, spec.volumes, spec.images, spec.gates,
                   spec.owner.kind, spec.owner.name, spec.plugins);
}

std::uint64_t SpecTable::hash_of(const PodSpec& spec) {
    words_.clear();
    append_words(spec, words_);
    return boost::hash_range(words_.begin(), words_.end());
}

SpecNumber SpecTable::number(PodSpec&& spec) {
    const auto [at, fresh] = first_.try_emplace(hash_of(spec), 0);
    for (SpecNumber number = at->second; number != 0; number = next_[number - 1]) {
        if (records_[number - 1].spec == spec) {
            return number;
        }
    }
    SpecNumber number = 0;
    if (free_.empty()) {
        number = static_cast<SpecNumber>(records_.size() + 1);
        records_.push_back({number, std::move(spec)});
        next_.push_back(at->second);
    } else {
        number = free_.back();
        free_.pop_back();
        renewed_.push_back(number);
        records_[number - 1] = {number, std::move(spec)};
        next_[number - 1] = at->second;
    }
    at->second = number;
    return number;
}

std::vector<SpecItem> SpecTable::items(std::span<const SpecNumber> numbers) const {
    std::vector<SpecItem> made;
    for (const SpecNumber number : numbers) {
        if (records_[number - 1].number != 0) {
            made.push_back(records_[number - 1]);
        }
    }
    return made;
}

void SpecTable::forget(SpecNumber number) {
    const auto first = first_.find(hash_of(records_[number - 1].spec));
    SpecNumber* before = &first->second;
    while (*before != number) {
        before = &next_[*before - 1];
    }
    *before = next_[number - 1];
    if (first->second == 0) {
        first_.erase(first);
    }
    records_[number - 1] = {};
    free_.push_back(number);
}

}  // namespace bayplan::kube
