// See config_routes.h.
#include "rest/config_routes.h"

#include <algorithm>

#include <boost/json/value.hpp>

#include "queue_config/characters.h"
#include "rest/config_document.h"
#include "rest/errors.h"
#include "rest/placement_rules.h"
#include "rest/validate_conf.h"

namespace bayplan::rest {

http::Response answer_config(const ConfigBoard& board, const http::Request& request) {
    const auto shown = board.shown();
    http::Response response;
    // Only this alone: a list of types, the same among them, gets YAML.
    if (request.header("Accept") == "application/json") {
        response.content_type = "application/json; charset=UTF-8";
        response.body = to_json_text(config_document(*shown, Form::json)) + "\n";
    } else {
        response.content_type = "application/x-yaml; charset=UTF-8";
        response.body = to_yaml_text(config_document(*shown, Form::yaml));
    }
    return response;
}

http::Response answer_validate_conf(const http::Request& request) { return json_answer(validate_conf(request.body)); }

http::Response answer_placement_rules(const ConfigBoard& board, const http::Request& request) {
    const auto shown = board.shown();
    const auto& partitions = shown->config.partitions;
    const auto found = std::ranges::find_if(partitions, [&](const queue_config::PartitionConfig& partition) {
        return queue_config::lower_case(partition.name.text) == request.parameter("partition");
    });
    if (found == partitions.end()) return error_answer(404, kPartitionNotFound);
    return json_answer(placement_rules(*found));
}

}  // namespace bayplan::rest
