// See claimed_devices.h.
#include "sim/claimed_devices.h"

#include <array>
#include <vector>

namespace bayplan::sim {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return parts;
}

bool is_of_a_claim(std::string_view entry) { return entry.starts_with('@'); }

void write_device(Markup& out, const std::vector<std::string_view>& words) {
    static constexpr std::array<std::string_view, 4> kFields = {"request", "driver", "pool", "device"};
    out.begin_object();
    for (std::size_t at = 0; at < kFields.size() && at + 1 < words.size(); ++at) {
        out.text(kFields[at], words[at + 1]);
    }
    if (words.back() == "admin") {
        out.flag("adminAccess", true);
    }
    out.end();
}

void write_claims(Markup& out, std::string_view name_space, std::string_view devices) {
    std::string_view open;
    bool any = false;
    for (const std::string_view entry : split(devices, ',')) {
        if (!is_of_a_claim(entry)) {
            continue;
        }
        const std::vector<std::string_view> words = split(entry.substr(1), ' ');
        if (!any) {
            out.begin_object("claims");
            any = true;
        }
        if (words.front() != open) {
            if (!open.empty()) {
                out.end();
            }
            open = words.front();
            out.begin_list(std::string(name_space) + "/" + std::string(open));
        }
        write_device(out, words);
    }
    if (any) {
        out.end();
        out.end();
    }
}

}  // namespace

std::string without_claims(std::string_view devices) {
    std::string plain;
    for (const std::string_view entry : split(devices, ',')) {
        if (!is_of_a_claim(entry)) {
            plain += (plain.empty() ? "" : ",") + std::string(entry);
        }
    }
    return plain;
}

void write_devices(Markup& out, std::string_view pod, std::string_view devices) {
    if (const std::string plain = without_claims(devices); !plain.empty()) {
        out.text("devices", plain);
    }
    write_claims(out, pod.substr(0, pod.find('/')), devices);
}

}  // namespace bayplan::sim
