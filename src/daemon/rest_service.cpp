// See rest_service.h.
#include "daemon/rest_service.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "queue_config/characters.h"
#include "queue_config/load.h"
#include "rest/routes.h"

namespace bayplan::daemon {
namespace {

constexpr std::chrono::milliseconds kStopAtMost{5'000};

http::ServerOptions server_options(const config::RestConfig& rest, std::int64_t stop_within_ns) {
    http::ServerOptions options;
    const config::ListenAt at = config::parse_listen(rest.listen).value_or(config::ListenAt{});
    options.address = at.address;
    options.port = at.port;
    options.tls_certificate = rest.certificate;
    options.tls_key = rest.key;
    options.token_file = rest.token_file;
    const auto within = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(stop_within_ns));
    options.stop_within = std::min(within, kStopAtMost);
    return options;
}

// Under the name by which shims and clients know it.
queue_config::PartitionConfig partition_of(const rest::ShownConfig& shown, const std::string& name) {
    const queue_config::PartitionConfig* const own = queue_config::own_partition(shown.config, name);
    if (own == nullptr) return rest::partition_with_one_leaf(name);
    queue_config::PartitionConfig partition = *own;
    if (queue_config::lower_case(partition.name.text) != name) partition.name.text = name;
    return partition;
}

}  // namespace

std::shared_ptr<const rest::ShownConfig> shown_config(const std::vector<config::PartitionConfig>& partitions,
                                                      const std::vector<std::string>& texts) {
    auto all = std::make_shared<rest::ShownConfig>();
    for (std::size_t at = 0; at < partitions.size(); ++at) {
        const std::string& name = partitions[at].name;
        const auto shown = partitions[at].queues_file.empty() ? nullptr : rest::show_config(texts[at], {});
        all->config.partitions.push_back(shown ? partition_of(*shown, name) : rest::partition_with_one_leaf(name));
    }
    // Of several texts there is no one checksum.
    std::set<std::string> different(texts.begin(), texts.end());
    different.erase("");
    if (different.size() == 1) all->checksum = queue_config::checksum_of(*different.begin());
    return all;
}

RestService::RestService(const config::RestConfig& rest, std::int64_t stop_within_ns,
                         std::shared_ptr<const rest::ShownConfig> shown, rest::ShownPartitions partitions,
                         const rest::ShownEvents& events, rest::ShimStates& shims)
    : board_(std::move(shown)),
      partitions_(std::move(partitions)),
      server_(server_options(rest, stop_within_ns),
              http::Router(rest::routes({board_, &partitions_, events, &watch_, &metrics_, &condition_, &shims}),
                           rest.cors)) {}

bool can_serve(const config::RestConfig& rest, std::string& error) {
    http::Server server(server_options(rest, 0), http::Router({}, rest.cors));
    return server.start(error);
}

bool RestService::start(std::string& error, Begin begin_watch) {
    if (!server_.start(error)) return false;
    watch_.start(std::move(begin_watch));
    return true;
}

void RestService::stop() { server_.stop(); }

bool RestService::reload_tls(std::string& error) { return server_.reload_tls(error); }

void RestService::show(std::shared_ptr<const rest::ShownConfig> shown) { board_.show(std::move(shown)); }

}  // namespace bayplan::daemon
