// See extenders.h.
#include "scheduler_config/extenders.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace bayplan::scheduler_config {

namespace {

using kube::Value;

constexpr double kSecondsMax = 86'400;
constexpr std::int64_t kWeightMax = 1'000'000;

// As Go spells durations: "5s", "1m30s", "250ms".
std::optional<std::chrono::milliseconds> duration(std::string_view text) {
    static constexpr std::pair<std::string_view, double> kUnits[] = {{"ms", 1e-3}, {"h", 3'600}, {"m", 60},
                                                                     {"s", 1},     {"us", 1e-6}, {"ns", 1e-9}};
    double seconds = 0;
    bool any = false;
    while (!text.empty()) {
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const auto* const unit =
            std::ranges::find_if(kUnits, [&](const auto& one) { return text.starts_with(one.first); });
        if (error != std::errc() || unit == std::end(kUnits)) {
            return std::nullopt;
        }
        text.remove_prefix(unit->first.size());
        seconds += number * unit->second;
        any = true;
    }
    if (!any || !(seconds >= 1e-3 && seconds <= kSecondsMax)) {
        return std::nullopt;
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

bool flag(const Value& extender, std::string_view name) { return extender[name].text() == "true"; }

std::string without_slash(std::string_view url) {
    while (url.ends_with('/')) {
        url.remove_suffix(1);
    }
    return std::string(url);
}

void read_url(const Value& value, Extender& extender, Notes& notes) {
    extender.url = without_slash(value["urlPrefix"].text());
    if (!extender.url.starts_with("http://") && !extender.url.starts_with("https://")) {
        notes.fault(value["urlPrefix"].present() ? value["urlPrefix"] : value, "extenders.urlPrefix",
                    "must begin with http:// or https://");
    }
    if (flag(value, "enableHTTPS") && extender.url.starts_with("http://")) {
        notes.fault(value["enableHTTPS"], "extenders.enableHTTPS", "its urlPrefix begins with http://");
    }
}

void read_tls(const Value& tls, Extender& extender, Notes& notes) {
    notes.only(tls, "extenders.tlsConfig",
               {"insecure", "serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData"});
    if (!tls["serverName"].text().empty()) {
        notes.fault(tls["serverName"], "extenders.tlsConfig.serverName", "must be the name in urlPrefix");
    }
    extender.insecure = flag(tls, "insecure");
    extender.authority = {std::string(tls["caFile"].text()), std::string(tls["caData"].text())};
    extender.certificate = {std::string(tls["certFile"].text()), std::string(tls["certData"].text())};
    extender.key = {std::string(tls["keyFile"].text()), std::string(tls["keyData"].text())};
}

void read_resources(const Value& list, Extender& extender, Notes& notes) {
    for (const Value& one : list.items()) {
        notes.only(one, "extenders.managedResources", {"name", "ignoredByScheduler"});
        extender.managed_resources.emplace_back(one["name"].text());
        if (flag(one, "ignoredByScheduler")) {
            extender.ignored_resources.push_back(extender.managed_resources.back());
        }
    }
}

Extender read_extender(const Value& value, Notes& notes) {
    Extender extender;
    notes.only(value, "extenders",
               {"urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "weight", "bindVerb", "enableHTTPS",
                "tlsConfig", "httpTimeout", "nodeCacheCapable", "managedResources", "ignorable"});
    read_url(value, extender, notes);
    read_tls(value["tlsConfig"], extender, notes);
    read_resources(value["managedResources"], extender, notes);
    extender.filter_verb = value["filterVerb"].text();
    extender.preempt_verb = value["preemptVerb"].text();
    extender.bind_verb = value["bindVerb"].text();
    extender.takes_names = flag(value, "nodeCacheCapable");
    extender.ignorable = flag(value, "ignorable");
    extender.prioritize_verb = value["prioritizeVerb"].text();
    if (!extender.prioritize_verb.empty()) {
        extender.weight = whole(value["weight"]).value_or(0);
        if (extender.weight < 1 || extender.weight > kWeightMax) {
            notes.fault(value["weight"], "extenders.weight", "must be 1 to 1000000 where nodes get scores");
        }
    }
    if (value["httpTimeout"].present()) {
        const auto timeout = duration(value["httpTimeout"].text());
        extender.timeout = timeout.value_or(extender.timeout);
        if (!timeout) {
            notes.fault(value["httpTimeout"], "extenders.httpTimeout", "must be a duration, 1ms to 24h");
        }
    }
    return extender;
}

}  // namespace

std::vector<Extender> read_extenders(const Value& list, Notes& notes) {
    std::vector<Extender> read;
    for (const Value& one : list.items()) {
        Extender extender = read_extender(one, notes);
        const bool binds_twice = !extender.bind_verb.empty() && std::ranges::any_of(read, [](const Extender& other) {
            return !other.bind_verb.empty();
        });
        if (binds_twice) {
            notes.fault(one["bindVerb"], "extenders.bindVerb", "one extender binds, not two");
        }
        if (std::ranges::find(read, extender.url, &Extender::url) != read.end()) {
            notes.fault(one["urlPrefix"], "extenders.urlPrefix", "there are two of this");
        }
        read.push_back(std::move(extender));
    }
    return read;
}

}  // namespace bayplan::scheduler_config
