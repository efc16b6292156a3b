// See start_report.h.
#include "daemon/start_report.h"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace bayplan::daemon {

std::string as_lines(const StartReport& report) {
    std::string lines;
    for (const std::string& warning : report.warnings) {
        lines += fmt::format("{}: warning: {}\n", report.file, warning);
    }
    for (const std::string& fault : report.faults) {
        lines += fmt::format("{}: {}\n", report.file, fault);
    }
    return report.faults.empty() ? lines + fmt::format("{}: no faults\n", report.file) : lines;
}

std::string as_json(const StartReport& report) {
    return boost::json::serialize(
               boost::json::object{{"file", report.file},
                                   {"starts", report.faults.empty()},
                                   {"faults", boost::json::array(report.faults.begin(), report.faults.end())},
                                   {"warnings", boost::json::array(report.warnings.begin(), report.warnings.end())}}) +
           "\n";
}

}  // namespace bayplan::daemon
