// See console_routes.h.
#include "rest/console_routes.h"

#include <algorithm>

#include "answers/pod_view.h"
#include "rest/errors.h"

namespace bayplan::rest {

namespace {

http::Response page(const http::Request&) {
    http::Response response;
    response.content_type = "text/html; charset=utf-8";
    response.body = kConsolePage;
    // It needs nothing from anywhere else, and names that shims send it are never code.
    response.headers = {
        {"Content-Security-Policy",
         "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Cache-Control", "no-cache"}};
    return response;
}

// `answer`: of a version and its place.
template <typename Answer>
http::Response of_partition(const ShownPartitions& partitions, const http::Request& request, Answer&& answer) {
    const auto found = std::ranges::find_if(
        partitions, [&](const ShownPartition& one) { return one.place.partition == request.parameter("partition"); });
    if (found == partitions.end()) return error_answer(404, kPartitionNotFound);
    const answers::VersionPtr version = found->version();
    if (version == nullptr) return error_answer(503, "The engine has told nothing yet");
    http::Response response;
    response.content_type = kJsonType;
    response.body = answer(version, found->place) + "\n";
    return response;
}

}  // namespace

std::vector<http::Route> console_routes(const ShownPartitions& partitions) {
    return {{"GET", "/", page, false},
            {"GET", "/bayplan/v1/partition/{partition}/pending",
             [&partitions](const http::Request& request) {
                 return of_partition(partitions, request,
                                     [](const answers::VersionPtr& version, const answers::Place&) {
                                         return answers::pending_by_reason(version);
                                     });
             }},
            {"GET", "/bayplan/v1/partition/{partition}/pods", [&partitions](const http::Request& request) {
                 return of_partition(
                     partitions, request, [&](const answers::VersionPtr& version, const answers::Place& place) {
                         return answers::pods_named(version, place, request.query_value("name").value_or(""));
                     });
             }}};
}

}  // namespace bayplan::rest
