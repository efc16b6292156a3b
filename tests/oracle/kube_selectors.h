// Selectors of devices as histories have them: conditions joined by ` && `, of few forms (kube_selectors.cpp).
//
// Thread: any. Errors: std::logic_error for a selector of another form; ClaimError for an attribute that is not there.
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

// A device that may be taken.
struct Candidate {
    const KubeSlice* slice = nullptr;
    const KubeSliceDevice* device = nullptr;
    auto name() const { return std::tuple(slice->driver, slice->pool, device->name); }
};

// Ends the attempt (R-CLAIM-19).
struct ClaimError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// By domain and id; null: the device has none.
const KubeDeviceValue* attribute(const Candidate&, const std::string& domain, const std::string& id);
// `whose`: what has the selectors, for the words of an error.
bool matches(const std::vector<std::string>& selectors, const Candidate&, const std::string& whose);

}  // namespace bayplan::oracle
