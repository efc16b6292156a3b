// Whether labels match a selector, and a node may take a pod by its labels and taints: for changes of a dump before any
// engine sees it. An engine decides by its own rules.
//
// Thread: any, pure functions of one dictionary.
#pragma once

#include <span>

#include "bayplan/pod_spec.h"
#include "kube/objects.h"
#include "kube/texts.h"

namespace bayplan::kube {

bool matches(const LabelRequirement&, std::span<const Label> labels, const Texts&);
bool matches(const LabelSelector&, std::span<const Label> labels, const Texts&);

// One of the terms; `name`: of the node.
bool matches(const NodeTerm&, const ConvertedNode&, const Texts&);

bool tolerates(const Toleration&, const Taint&);
// The first taint that keeps pods of the spec away; none: null.
const Taint* untolerated(const PodSpec&, const ConvertedNode&);

// By its node selector and its required terms.
bool selects(const PodSpec&, const ConvertedNode&, const Texts&);

}  // namespace bayplan::kube
