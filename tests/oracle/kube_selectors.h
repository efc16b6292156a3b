// Selectors of devices as histories have them: conditions joined by ` && `, of few forms (kube_selectors.cpp).
//
// Thread: any. Errors: std::logic_error for a selector of another form.
#pragma once

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

// By domain and id; null: the device has none.
const KubeDeviceValue* attribute(const Candidate&, const std::string& domain, const std::string& id);
bool matches(const std::vector<std::string>& selectors, const Candidate&);

}  // namespace bayplan::oracle
