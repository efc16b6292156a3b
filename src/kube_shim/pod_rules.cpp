// See pod_rules.h.
#include "kube_shim/pod_rules.h"

#include <algorithm>

#include "base/visit_texts.h"
#include "kube_shim/extenders.h"

namespace bayplan::kube_shim {

namespace {

bool is_empty(const NodeTerm& term) { return term.labels.empty() && term.fields.empty(); }

// One of each must match: every pair of terms is a term. An empty term matches nothing, and so does a pair with it.
std::vector<NodeTerm> both(const std::vector<NodeTerm>& own, const std::vector<NodeTerm>& added) {
    std::vector<NodeTerm> made;
    for (const NodeTerm& one : own) {
        for (const NodeTerm& other : added) {
            if (is_empty(one) || is_empty(other)) {
                continue;
            }
            NodeTerm& term = made.emplace_back(one);
            term.labels.insert(term.labels.end(), other.labels.begin(), other.labels.end());
            term.fields.insert(term.fields.end(), other.fields.begin(), other.fields.end());
        }
    }
    return made;
}

}  // namespace

PodRules::PodRules(FeatureGates gates, std::optional<scheduler_config::SchedulerConfig> config,
                   kube::ObjectConverter& converter)
    : gates_(gates), converter_(converter) {
    if (!config) {
        return;
    }
    preemption_ = config->preemption();
    for (const scheduler_config::Extender& one : config->extenders) {
        if (is_plugin(one)) {
            filters_.emplace_back(one, converter_.texts().id(plugin_of(one)));
        }
        for (const std::string& resource : one.ignored_resources) {
            ignored_.push_back(converter_.texts().id(resource));
        }
    }
    for (const scheduler_config::Profile& profile : config->profiles) {
        Rules& rules = rules_[profile.scheduler];
        const scheduler_config::AddedAffinity& added = profile.added_affinity;
        rules.preemption = profile.preemption;
        rules.plain = !added.any();
        rules.required = added.required;
        rules.preferred = added.preferred;
        const auto translate = [&](Text& text) { text = converter_.texts().id(added.texts->text(text)); };
        if (rules.required) {
            texts::walk_all(*rules.required, translate);
        }
        texts::walk_all(rules.preferred, translate);
    }
}

void PodRules::apply(kube::ConvertedPod& pod) {
    static const Rules kNone;
    const auto found = rules_.find(pod.scheduler);
    const Rules& rules = found == rules_.end() ? kNone : found->second;
    if (preemption_ && !rules.preemption) {
        pod.ask.never_preempts = true;
    }
    if (pod.ask.spec != 0 && (!rules.plain || !gates_.spread_label_keys || !gates_.spread_inclusion)) {
        pod.ask.spec = seen(pod.ask.spec, rules);
    }
    if (std::vector<Text> plugins = plugins_of(pod); !plugins.empty()) {
        pod.ask.spec = needing(pod.ask.spec, std::move(plugins));
    }
    std::erase_if(pod.requests, [&](const Amount& one) {
        const bool ignored = std::ranges::find(ignored_, Text{one.resource}) != ignored_.end();
        if (ignored) {
            pod.ignored_resources.emplace_back(one.resource);
        }
        return ignored;
    });
}

std::vector<Text> PodRules::plugins_of(const kube::ConvertedPod& pod) const {
    std::vector<Text> plugins;
    if (pod.ask.spec == 0 || filters_.empty()) {
        return plugins;
    }
    std::vector<std::string_view> resources;
    for (const Amount& one : pod.requests) {
        resources.push_back(converter_.texts().text(one.resource));
    }
    for (const auto& [extender, plugin] : filters_) {
        if (is_managed(extender, resources)) {
            plugins.push_back(plugin);
        }
    }
    return plugins;
}

SpecNumber PodRules::needing(SpecNumber number, std::vector<Text> plugins) {
    SpecNumber& known = needing_[{number, plugins}];
    if (known == 0) {
        PodSpec spec = converter_.specs().records()[number - 1].spec;
        spec.plugins = std::move(plugins);
        known = converter_.number(std::move(spec));
    }
    return known;
}

SpecNumber PodRules::seen(SpecNumber number, const Rules& rules) {
    SpecNumber& known = seen_[{number, &rules}];
    if (known != 0) {
        return known;
    }
    PodSpec spec = converter_.specs().records()[number - 1].spec;
    for (SpreadConstraint& constraint : spec.spread) {
        if (!gates_.spread_label_keys) {
            constraint.match_label_keys.clear();
        }
        if (!gates_.spread_inclusion) {
            constraint.honor_node_affinity = true;
            constraint.honor_node_taints = false;
        }
    }
    if (rules.required) {
        spec.required_nodes = spec.required_nodes ? both(*spec.required_nodes, *rules.required) : *rules.required;
    }
    spec.preferred_nodes.insert(spec.preferred_nodes.end(), rules.preferred.begin(), rules.preferred.end());
    known = converter_.number(std::move(spec));
    return known;
}

void PodRules::forget_unused(const std::vector<bool>& used) {
    const auto unused = [&](const auto& one) { return !used[one.first.first] || !used[one.second]; };
    erase_if(seen_, unused);
    erase_if(needing_, unused);
}

void PodRules::visit_texts(const std::function<void(Text)>& visit) const {
    const auto each = [&](const Text& text) { visit(text); };
    for (const auto& [scheduler, rules] : rules_) {
        if (rules.required) {
            texts::walk_all(*rules.required, each);
        }
        texts::walk_all(rules.preferred, each);
    }
    for (const auto& [extender, plugin] : filters_) {
        visit(plugin);
    }
    std::ranges::for_each(ignored_, visit);
}

}  // namespace bayplan::kube_shim
