// Records of a shim with their ids spelled out: specs and objects as the literal implementation of
// predicates and scores keeps them.
//
// Thread: one. Errors: an id that the dictionary does not have reads as the empty text and is
// remembered, the first one in the order of the records' fields.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bayplan/cluster_object.h"
#include "bayplan/pod_spec.h"
#include "kube_model.h"

namespace bayplan::oracle {

class TextReader {
public:
    explicit TextReader(const std::map<std::uint32_t, std::string>& dictionary) : dictionary_(dictionary) {}

    std::string operator()(bayplan::Text id);
    // The first id that is not 0 and not in the dictionary.
    const std::optional<std::uint32_t>& unknown() const { return unknown_; }
    // Of all texts read, each as often as it was.
    std::uint64_t bytes() const { return bytes_; }

private:
    const std::map<std::uint32_t, std::string>& dictionary_;
    std::optional<std::uint32_t> unknown_;
    std::uint64_t bytes_ = 0;
};

KubeSpec spelled_out(const PodSpec&, TextReader&);
KubeLabels spelled_out(const std::vector<Label>&, TextReader&);
KubeSelector spelled_out(const std::vector<LabelRequirement>&, TextReader&);
KubeMaybeSelector spelled_out(const std::optional<LabelSelector>&, TextReader&);
std::optional<std::vector<KubeNodeTerm>> spelled_out(const std::optional<std::vector<NodeTerm>>&, TextReader&);

// What an object is known by: kind, namespace, name.
using ObjectKey = std::tuple<std::string, std::string, std::string>;

// Reads the object whole, and puts it among the others unless the reader met an unknown id.
ObjectKey state_object(const ClusterObject&, TextReader&, KubeObjects& among);
// Reads its names only.
ObjectKey key_of(const ClusterObject&, TextReader&);
void remove_object(const ObjectKey&, KubeObjects& among);

}  // namespace bayplan::oracle
