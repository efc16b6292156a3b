// See metrics_routes.h.
#include "rest/metrics_routes.h"

#include <utility>

#include "rest/errors.h"
#include "rest/pieces.h"

namespace bayplan::rest {

namespace {

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

http::Response show_metrics(const ShownPartitions& partitions, const MetricsBoard* own) {
    std::vector<std::pair<answers::VersionPtr, answers::Place>> versions;
    for (const ShownPartition& partition : partitions) {
        // An engine that has told nothing yet has no state; the daemon's families are there.
        if (answers::VersionPtr version = partition.version(); version != nullptr) {
            versions.emplace_back(std::move(version), partition.place);
        }
    }
    return pieces(kMetricsType, answers::metrics(versions), own == nullptr ? std::string() : *own->shown());
}

}  // namespace

std::vector<http::Route> metrics_routes(const ShownPartitions& partitions, const MetricsBoard* own) {
    return {{"GET", "/ws/v1/metrics",
             [&partitions, own](const http::Request&) { return show_metrics(partitions, own); }, false}};
}

}  // namespace bayplan::rest
