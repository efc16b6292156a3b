// The grammar of rules/devices.md for texts of devices.
#include "cluster/device_texts.h"

#include <algorithm>

#include "cluster/device_use.h"

namespace bayplan {

bool can_be_devices(std::string_view name) {
    return name.size() <= kDeviceNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                      c == '/' || c == '-' || c == '_';
           });
}

namespace {

// The number, or kDevicesMax if it is none.
std::uint32_t device_number(std::string_view digits) {
    std::uint32_t number = 0;
    for (const char c : digits) {
        number = c >= '0' && c <= '9' && number < kDevicesMax ? number * 10 + static_cast<std::uint32_t>(c - '0')
                                                              : kDevicesMax;
    }
    const bool plain = !digits.empty() && (digits.size() == 1 || digits.front() != '0');
    return plain ? std::min(number, kDevicesMax) : kDevicesMax;
}

std::string_view cut_front(std::string_view& text, char at) {
    const std::size_t end = std::min(text.find(at), text.size());
    const std::string_view front = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return front;
}

// Calls take(resource, devices) for each resource; false at what is not well-formed.
template <typename Take>
bool read_devices(std::string_view text, Take&& take) {
    if (text.empty()) {
        return true;
    }
    if (text.back() == ',') {
        return false;
    }
    while (!text.empty()) {
        std::string_view numbers = cut_front(text, ',');
        const std::size_t split = numbers.find('=');
        if (split == std::string_view::npos || split == 0 || numbers.back() == '+') {
            return false;
        }
        const std::string_view resource = numbers.substr(0, split);
        numbers.remove_prefix(split + 1);
        std::vector<std::uint32_t> devices;
        do {
            devices.push_back(device_number(cut_front(numbers, '+')));
            if (devices.back() == kDevicesMax ||
                std::find(devices.begin(), devices.end() - 1, devices.back()) != devices.end() - 1) {
                return false;
            }
        } while (!numbers.empty());
        if (!can_be_devices(resource) || !take(resource, std::move(devices))) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool is_device_text(std::string_view text) {
    std::vector<std::string_view> resources;
    return read_devices(text, [&](std::string_view resource, const std::vector<std::uint32_t>&) {
        const bool fresh = std::find(resources.begin(), resources.end(), resource) == resources.end();
        resources.push_back(resource);
        return fresh;
    });
}

std::vector<std::uint32_t> devices_in(std::string_view text, std::string_view wanted) {
    std::vector<std::uint32_t> found;
    read_devices(text, [&](std::string_view resource, std::vector<std::uint32_t>&& devices) {
        if (resource == wanted) {
            found = std::move(devices);
        }
        return true;
    });
    return found;
}

}  // namespace bayplan
