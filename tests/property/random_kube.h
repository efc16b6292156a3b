// Random content of pods, nodes and the cluster: specs, labels, taints, images, objects. Small
// vocabularies, so that selectors match about as often as not.
//
// Thread: one. The same random numbers give the same content. Errors: none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bayplan/messages.h"
#include "owned.h"
#include "random.h"

namespace bayplan::property {

using IdOf = std::function<DictId(const std::string&)>;

// Every text that the functions below use, beside names of nodes.
const std::vector<std::string>& kube_texts();

PodSpec random_spec(Random&, const IdOf&, const std::vector<std::string>& nodes);
// Labels, taints and images of a node.
void furnish(oracle::OwnedNode&, const std::string& name, Random&, const IdOf&);
ObjectItem random_object(Random&, const IdOf&, const std::vector<std::string>& nodes);
// The first objects: namespaces, classes, some claims and volumes.
std::vector<ObjectItem> first_objects(Random&, const IdOf&, const std::vector<std::string>& nodes);

// --- random_claims.cpp. They draw from a copy, so that all else of a history stays as it is.

const std::vector<std::string>& claim_texts();
// To few specs.
void add_random_claims(Random, const IdOf&, PodSpec&);
// Kind and names alone, as a removal is sent.
ClusterObject only_names(const ClusterObject&);
// In place of `other`, now and then.
ObjectItem or_a_claim_object(Random, const IdOf&, const std::vector<std::string>& nodes, ObjectItem&& other);
std::vector<ObjectItem> first_claim_objects(Random, const IdOf&, const std::vector<std::string>& nodes);

}  // namespace bayplan::property
