// See device_attributes.h.
#include "claims/device_attributes.h"

namespace bayplan {

const DeviceAttribute* find_attribute(Text driver, const SliceDevice& device, std::string_view name,
                                      const TextTable& texts) {
    const std::size_t slash = name.find('/');
    const bool own = slash != std::string_view::npos && name.substr(0, slash) == texts.text(driver);
    const DeviceAttribute* bare = nullptr;
    for (const DeviceAttribute& one : device.attributes) {
        const std::string_view stated = texts.text(one.name);
        if (stated == name) {
            return &one;
        }
        if (own && stated == name.substr(slash + 1)) {
            bare = &one;
        }
    }
    return bare;
}

bool same_value(const DeviceAttribute& a, const DeviceAttribute& b) {
    return a.type == b.type && a.text == b.text && a.number == b.number;
}

}  // namespace bayplan
