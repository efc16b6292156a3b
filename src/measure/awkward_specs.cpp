// See awkward_specs.h.
#include "measure/awkward_specs.h"

#include <fmt/format.h>

namespace bayplan::measure {

namespace {

using workload::AwkwardShape;
using workload::TextNumber;

LabelSelector selector_of(std::uint32_t application, const TextNumber& text) {
    return {
        {{.key = text("app"), .op = LabelOperator::in, .values = {text(fmt::format("application-{}", application))}}}};
}

SpreadConstraint spread_of(std::uint32_t application, std::string_view key, std::int32_t skew, bool hard,
                           const TextNumber& text) {
    SpreadConstraint constraint;
    constraint.max_skew = skew;
    constraint.topology_key = text(key);
    constraint.hard = hard;
    constraint.selector = selector_of(application, text);
    return constraint;
}

PodTerm apart(std::uint32_t application, const TextNumber& text) {
    PodTerm term;
    term.selector = selector_of(application, text);
    term.topology_key = text("kubernetes.io/hostname");
    return term;
}

}  // namespace

void add_terms(const workload::AwkwardLoad& load, std::uint32_t application, const TextNumber& text, PodSpec& spec) {
    constexpr std::string_view kZoneKey = "topology.kubernetes.io/zone";
    const bool hard = workload::awkward_spreads_hard(load, application);
    spec.labels = {{text("app"), text(fmt::format("application-{}", application))}};
    if (load.shape == AwkwardShape::racks) {
        spec.spread = {spread_of(application, kRackKey, workload::kAwkwardRackSkew, hard, text)};
    }
    if (load.shape == AwkwardShape::coupled || (load.shape == AwkwardShape::zones && hard)) {
        spec.spread = {spread_of(application, kZoneKey, workload::kAwkwardZoneSkew, true, text)};
    }
    if (load.shape == AwkwardShape::hosts || load.shape == AwkwardShape::coupled) {
        spec.anti_affinity = {apart(application, text)};
    }
}

PodSet service_of(std::uint32_t application, const TextNumber& text) {
    PodSet made;
    made.kind = text("Service");
    made.name_space = text("team");
    made.name = text(fmt::format("service-{}", application));
    made.selector = selector_of(application, text);
    return made;
}

}  // namespace bayplan::measure
