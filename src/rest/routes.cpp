// See routes.h.
#include "rest/routes.h"

#include <algorithm>
#include <iterator>

#include "rest/config_routes.h"
#include "rest/console_routes.h"
#include "rest/health_routes.h"
#include "rest/state_dump.h"

namespace bayplan::rest {

std::vector<http::Route> routes(const Sources& from) {
    const ConfigBoard& config = from.config;
    std::vector<http::Route> all = {
        {"GET", "/ws/v1/config", [&config](const http::Request& request) { return answer_config(config, request); }},
        {"POST", "/ws/v1/validate-conf", answer_validate_conf},
        {"GET", "/ws/v1/partition/{partition}/placementrules",
         [&config](const http::Request& request) { return answer_placement_rules(config, request); }},
        // Where these were before YuniKorn 1.5.
        {"GET", "/ws/v1/fullstatedump", http::redirect_to("/debug/fullstatedump"), false},
        {"GET", "/ws/v1/stack", http::redirect_to("/debug/stack"), false},
    };
    if (from.partitions != nullptr) {
        const ShownPartitions& partitions = *from.partitions;
        std::ranges::move(state_routes(partitions), std::back_inserter(all));
        std::ranges::move(console_routes(partitions), std::back_inserter(all));
        std::ranges::move(metrics_routes(partitions, from.metrics), std::back_inserter(all));
        std::ranges::move(health_routes(partitions, from.watch, from.condition), std::back_inserter(all));
        const History* const history = from.watch == nullptr ? nullptr : &from.watch->history();
        std::ranges::move(state_dump_routes(config, partitions, history, from.shims), std::back_inserter(all));
    }
    std::ranges::move(event_routes(from.events), std::back_inserter(all));
    return all;
}

}  // namespace bayplan::rest
