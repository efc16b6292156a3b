// queues.yaml texts: accepted or refused, and the checksum of accepted texts.
#include <fmt/format.h>

#include "queue_config/load.h"
#include "queues_cases.h"

namespace bayplan::conformance {

std::string judge_validation(const json::object& test_case) {
    const std::string yaml = text_of(test_case, "yaml");
    const json::object& expected = test_case.contains("should") ? member(test_case, "should").as_object() : test_case;
    queue_config::SchedulerConfig config;
    config::Faults faults;
    const bool valid = queue_config::load_queue_config(yaml, "queues.yaml", config, faults);
    if (valid != member(expected, "valid").as_bool()) {
        return valid ? "accepted" : "refused: " + faults.front().to_string();
    }
    if (expected.contains("error") && text_of(expected, "error").empty() != valid) {
        return "accepted with an error, or refused without one";
    }
    for (const config::Fault& fault : faults) {
        if (fault.position.line <= 0 || fault.position.column <= 0) return "no place: " + fault.to_string();
    }
    if (!expected.contains("checksum"))
        return valid && !test_case.contains("should") ? "accepted without a checksum" : "";
    const std::string checksum = queue_config::checksum_of(yaml);
    return checksum == text_of(expected, "checksum") ? "" : "checksum " + checksum;
}

}  // namespace bayplan::conformance
