// See history.h.
#include "rest/history.h"

#include <iterator>

#include <fmt/format.h>

namespace bayplan::rest {

void History::record(std::int64_t at_ns, std::uint64_t applications, std::uint64_t containers) {
    const std::lock_guard lock(mutex_);
    if (records_.size() == kRecords) records_.pop_front();
    records_.push_back({at_ns, applications, containers});
}

std::string History::applications() const { return text("totalApplications", &Record::applications); }

std::string History::containers() const { return text("totalContainers", &Record::containers); }

std::string History::text(const char* name, std::uint64_t Record::*member) const {
    const std::lock_guard lock(mutex_);
    std::string json = "[";
    const char* between = "";
    for (const Record& record : records_) {
        fmt::format_to(std::back_inserter(json), "{}{{\"timestamp\":{},\"{}\":\"{}\"}}", between, record.at_ns, name,
                       record.*member);
        between = ",";
    }
    return json + "]";
}

}  // namespace bayplan::rest
