// Endpoints about the configuration of queues: what is in force, whether another would be taken, placement rules.
//
// Thread: handlers run on the server's. Owner of the board: the caller, for as long as the server runs.
#pragma once

#include "http/message.h"
#include "rest/shown_config.h"

namespace bayplan::rest {

http::Response answer_config(const ConfigBoard&, const http::Request&);
http::Response answer_validate_conf(const http::Request&);
http::Response answer_placement_rules(const ConfigBoard&, const http::Request&);

}  // namespace bayplan::rest
