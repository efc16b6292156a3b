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

}  // namespace bayplan::property
