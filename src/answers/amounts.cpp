// See amounts.h.

#include "answers/amounts.h"

#include <algorithm>

namespace bayplan::answers {

namespace {

Resources named(const read_model::Version& version, const read_model::AmountList& amounts, bool zeros) {
    Resources out;
    for (const read_model::Amount& amount : amounts) {
        if (amount.value != 0 || zeros) {
            out.emplace(version.texts.text(amount.resource), amount.value);
        }
    }
    return out;
}

}  // namespace

Resources sums(const read_model::Version& version, const read_model::AmountList& amounts) {
    return named(version, amounts, false);
}

Resources stated(const read_model::Version& version, const read_model::AmountList& amounts) {
    return named(version, amounts, true);
}

void put(JsonText& json, std::string_view name, const Resources& resources) {
    json.name(name);
    json.begin_object();
    for (const auto& [resource, value] : resources) {
        json.member(resource, value);
    }
    json.end_object();
}

void put_if(JsonText& json, std::string_view name, const Resources& resources) {
    if (!resources.empty()) {
        put(json, name, resources);
    }
}

Resources percent(const Resources& part, const Resources& whole) {
    Resources out;
    for (const auto& [resource, all] : whole) {
        const auto found = part.find(resource);
        if (found == part.end()) {
            continue;
        }
        std::int64_t share = found->second > 0 ? INT32_MAX : 0;
        if (all > 0) {
            share = static_cast<std::int64_t>(
                std::min(static_cast<double>(found->second) / static_cast<double>(all) * 100, double{INT32_MAX}));
        }
        out.emplace(resource, share);
    }
    return out;
}

}  // namespace bayplan::answers
