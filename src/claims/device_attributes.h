// Attributes of devices as constraints look at them. Thread: any, pure functions.
#pragma once

#include <string_view>

#include "base/text_table.h"
#include "bayplan/resource_claims.h"

namespace bayplan {

// By "domain/id": under that very name or, if the domain is the driver's, under the id alone. Null: the device has none.
const DeviceAttribute* find_attribute(Text driver, const SliceDevice&, std::string_view name, const TextTable&);

// Type and value; versions as texts.
bool same_value(const DeviceAttribute&, const DeviceAttribute&);

}  // namespace bayplan
