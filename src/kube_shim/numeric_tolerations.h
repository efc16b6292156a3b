// Tolerations by Gt and Lt (Kubernetes' gate TaintTolerationComparisonOperators): said to the engine as tolerations by Equal of
// all the values that taints of nodes have at this moment and that lie beyond the bound. A value that comes up later asks for
// the pods' statements anew.
//
// Thread: one. Owns the values; texts are ids of the converter.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/pod_spec.h"
#include "kube/texts.h"
#include "kube/value.h"

namespace bayplan::kube_shim {

struct NumericToleration {
    std::string key;
    bool greater = true;  // the taint's value than `bound`; else less
    std::int64_t bound = 0;
    TaintEffect effect = TaintEffect::any;
    bool operator==(const NumericToleration&) const = default;
};

// A Pod's; one whose bound is no number tolerates nothing and is left out.
std::vector<NumericToleration> numeric_tolerations(const kube::Value& pod);
// "0", "-17", "42": without a sign or zeros in front, of 64 bits.
std::optional<std::int64_t> decimal_integer(std::string_view);

// The values that taints of nodes have, by key.
class TaintValues {
public:
    // True: one of them is new.
    bool add(std::span<const Taint>);
    void take_out(std::span<const Taint>);
    void extend(PodSpec&, std::span<const NumericToleration>, const kube::Texts&) const;

private:
    boost::unordered_flat_map<Text, std::vector<std::pair<Text, std::uint32_t>>>
        values_;  // and how many taints have them
};

}  // namespace bayplan::kube_shim
