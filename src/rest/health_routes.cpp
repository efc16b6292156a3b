// See health_routes.h.
#include "rest/health_routes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "rest/errors.h"
#include "rest/pieces.h"

namespace bayplan::rest {

namespace {

using http::Request;
using http::Response;

Response show_health(const Watch* watch) {
    const auto health = watch == nullptr ? nullptr : watch->health();
    return health == nullptr ? error_answer(404, "Health check is not available") : json_text(*health);
}

Response show_history(const Watch* watch, std::string (History::*text)() const) {
    return watch == nullptr ? error_answer(500, "Internal metrics collection is not enabled.")
                            : json_text((watch->history().*text)());
}

Response ok_unless(const std::string& fault) {
    return fault.empty() ? http::plain_answer(200, "ok") : http::plain_answer(503, fault);
}

Response show_readiness(const ShownPartitions& partitions, const ConditionBoard* condition) {
    if (condition != nullptr) {
        if (const std::string fault = condition->not_ready(); !fault.empty()) return ok_unless(fault);
    }
    const bool ready =
        std::ranges::all_of(partitions, [](const ShownPartition& one) { return one.version() != nullptr; });
    return ok_unless(ready ? "" : "the engine has told nothing yet");
}

// Names and states of the process's threads, as the kernel has them. The stacks themselves are not readable from inside.
Response show_threads() {
    std::string text;
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
        std::string name, line;
        std::ifstream(task.path() / "comm") >> name;
        std::ifstream status(task.path() / "status");
        while (std::getline(status, line) && !line.starts_with("State:")) {
        }
        text += fmt::format("thread {} {}: {}\n", task.path().filename().string(), name,
                            line.starts_with("State:\t") ? line.substr(7) : "gone");
    }
    Response response;
    response.content_type = kJsonType;  // YuniKorn's, though it is plain text
    response.body = std::move(text);
    return response;
}

}  // namespace

std::vector<http::Route> health_routes(const ShownPartitions& partitions, const Watch* watch,
                                       const ConditionBoard* condition) {
    return {
        {"GET", "/ws/v1/scheduler/healthcheck", [watch](const Request&) { return show_health(watch); }},
        {"GET", "/ws/v1/history/apps", [watch](const Request&) { return show_history(watch, &History::applications); }},
        {"GET", "/ws/v1/history/containers",
         [watch](const Request&) { return show_history(watch, &History::containers); }},
        {"GET", "/livez",
         [condition](const Request&) { return ok_unless(condition == nullptr ? "" : condition->not_live()); }, false},
        {"GET", "/readyz", [&partitions, condition](const Request&) { return show_readiness(partitions, condition); },
         false},
        {"GET", "/debug/stack", [](const Request&) { return show_threads(); }},
    };
}

}  // namespace bayplan::rest
