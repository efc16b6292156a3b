// The REST interface of this daemon: server, routes, and the configuration that they show.
//
// Thread: main's. Errors: start says why nobody is served; the daemon ends then, because an operator would look for it in vain.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "http/server.h"
#include "rest/condition_board.h"
#include "rest/event_routes.h"
#include "rest/metrics_routes.h"
#include "rest/shim_states.h"
#include "rest/shown_config.h"
#include "rest/state_routes.h"
#include "rest/watch.h"

namespace bayplan::daemon {

// Of all partitions, in their order; `texts`: of their queues, empty where a partition has none. Each text was found sound
// before.
std::shared_ptr<const rest::ShownConfig> shown_config(const std::vector<config::PartitionConfig>&,
                                                      const std::vector<std::string>& texts);

// Whether its address, certificate, key and token would do: listens, and stops again. If not, `error` says why.
bool can_serve(const config::RestConfig&, std::string& error);

class RestService {
public:
    // Once `stop_within_ns` is over, answers under way are cut.
    RestService(const config::RestConfig&, std::int64_t stop_within_ns, std::shared_ptr<const rest::ShownConfig>,
                rest::ShownPartitions, const rest::ShownEvents&, rest::ShimStates&);
    // Called on the thread that watches health and history, first of all (pins and names it).
    using Begin = std::function<void()>;

    bool start(std::string& error, Begin begin_watch = {});
    void stop();
    bool reload_tls(std::string& error);
    void show(std::shared_ptr<const rest::ShownConfig>);
    void show_condition(std::string not_live, std::string not_ready) {
        condition_.show(std::move(not_live), std::move(not_ready));
    }
    void show_laws_broken(std::uint64_t count) { condition_.show_laws_broken(count); }
    void show_metrics(std::string text) { metrics_.show(std::move(text)); }

    std::uint16_t port() const { return server_.port(); }
    http::CounterValues counters() const { return server_.counters(); }

private:
    rest::ConfigBoard board_;
    const rest::ShownPartitions partitions_;
    rest::ConditionBoard condition_;
    rest::Watch watch_{partitions_, &condition_};
    rest::MetricsBoard metrics_;
    http::Server server_;
};

}  // namespace bayplan::daemon
