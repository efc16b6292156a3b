// See preemption_report.h.
#include "engine/preemption_report.h"

#include <vector>

#include <boost/json.hpp>

namespace bayplan {

namespace {

boost::json::array list(const std::vector<std::string>& texts) {
    return boost::json::array(texts.begin(), texts.end());
}

}  // namespace

std::string preemption_report(std::int64_t now_ns, std::string_view pod, const DaemonsetExplanation& told) {
    boost::json::object need, filtered, classes;
    for (const auto& [resource, amount] : told.need) need[resource] = amount;
    for (const auto& [key, reason] : told.filtered) filtered[key] = reason;
    for (const auto& [name, pods] : told.classes) classes[name] = list(pods);
    boost::json::object report = {{"time_ns", now_ns},
                                  {"pod", pod},
                                  {"node", told.node},
                                  {"age_ms", told.age_ms},
                                  {"need", std::move(need)},
                                  {"candidates", list(told.candidates)},
                                  {"filtered", std::move(filtered)},
                                  {"classes", std::move(classes)},
                                  {"strategy", told.strategy},
                                  {"class", told.last_class}};
    if (told.deviation_percent) report["deviation_percent"] = *told.deviation_percent;
    report["chosen"] = list(told.chosen);
    report["spared"] = list(told.spared);
    report["text"] = told.release;
    return boost::json::serialize(report);
}

}  // namespace bayplan
