// Reading, then the checks that look at more than one setting.
//
// Thread: main.
#include "config/load.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "config/rest_settings.h"
#include "config/settings.h"
#include "config/text_file.h"

namespace bayplan::config {
namespace {

void check_partition(const PartitionConfig& partition, const std::string& path, ReadContext& context) {
    const Position section = context.place_of(path, {});
    const EngineOptions& engine = partition.engine;
    if (engine.backoff_max_ns < engine.backoff_initial_ns) {
        context.fault(context.place_of(path + ".backoff_max", context.place_of(path + ".backoff_initial", section)),
                      fmt::format("'{}.backoff_max' is shorter than backoff_initial", path),
                      "make it at least as long");
    }
    if (engine.unacknowledged_max < engine.credit_window) {
        context.fault(
            context.place_of(path + ".unacknowledged_max", context.place_of(path + ".credit_window", section)),
            fmt::format("'{}.unacknowledged_max' is smaller than credit_window", path),
            "make it larger: a shim would be cut before its credit is used");
    }
    if (!partition.scheduler_name.empty() && partition.scheduler_config.empty()) {
        context.fault(context.place_of(path + ".scheduler_name", section),
                      fmt::format("'{}.scheduler_name' is of no file", path),
                      "give scheduler_config too, or remove it");
    }
    const auto bad = [](char letter) { return letter == '/' || static_cast<unsigned char>(letter) < 0x20; };
    if (std::any_of(partition.name.begin(), partition.name.end(), bad) || partition.name.size() > 128) {
        context.fault(context.place_of(path + ".name", section), fmt::format("'{}.name' is not usable as a name", path),
                      "give at most 128 letters without '/' and control characters");
    }
}

void note_given(PartitionConfig& partition, const std::string& path, const ReadContext& context) {
    const std::string below = path + ".";
    for (auto at = context.places.lower_bound(below); at != context.places.end() && at->first.starts_with(below);
         ++at) {
        partition.given.emplace(at->first.substr(below.size()), at->second);
    }
}

void check_partitions(const Config& config, Position root, ReadContext& context) {
    for (std::size_t i = 0; i < config.partitions.size(); ++i) {
        const std::string path = fmt::format("partitions[{}]", i);
        check_partition(config.partitions[i], path, context);
        for (std::size_t j = 0; j < i; ++j) {
            if (config.partitions[i].name.empty() || config.partitions[i].name != config.partitions[j].name) continue;
            context.fault(
                context.place_of(path + ".name", root),
                fmt::format("'{}.name' is '{}', as is partitions[{}].name", path, config.partitions[i].name, j),
                "give each partition a name of its own");
        }
    }
}

void check_data_plane(const DataPlaneConfig& data_plane, Position root, ReadContext& context) {
    const Position section = context.place_of("data_plane", root);
    const auto place = [&](const std::string& name) { return context.place_of("data_plane." + name, section); };
    const bool dpdk = data_plane.port == dataplane::PortKind::dpdk;
    if (dpdk && data_plane.address == "0.0.0.0" && data_plane.address6.empty()) {
        context.fault(place("address"), "a DPDK port needs an address of its own",
                      "give 'data_plane.address': the port answers ARP for it");
    }
    if (dpdk && data_plane.address.find(':') != std::string::npos) {
        context.fault(place("address"), "'data_plane.address' of a DPDK port is for IPv4",
                      "give the IPv6 address as 'data_plane.address6'");
    }
    const bool has_link = !data_plane.address6.empty() || !data_plane.gateway.empty() || !data_plane.gateway6.empty() ||
                          data_plane.prefix_length != 0 || data_plane.prefix_length6 != 0 || data_plane.vlan != 0;
    if (!dpdk && has_link) {
        context.fault(section,
                      "address6, gateways, prefix lengths and vlan are for a DPDK port: the kernel "
                      "has its own",
                      "set 'data_plane.port: dpdk', or remove them");
    }
    if (!dpdk && (data_plane.telemetry || data_plane.capture)) {
        context.fault(section, "telemetry and capture are for a DPDK port",
                      "set 'data_plane.port: dpdk', or remove them");
    }
    if (dpdk && data_plane.udp_port == 0) {
        context.fault(place("udp_port"), "a DPDK port needs a UDP port", "give 'data_plane.udp_port' 1 .. 65535");
    }
    if (!dpdk && !data_plane.eal.empty()) {
        context.fault(place("eal"), "'data_plane.eal' is for a DPDK port, and this one is a kernel port",
                      "set 'data_plane.port: dpdk', or remove eal");
    }
    if (!dpdk && !data_plane.device.empty()) {
        context.fault(place("device"), "'data_plane.device' is for a DPDK port, and this one is a kernel port",
                      "set 'data_plane.port: dpdk', or remove device");
    }
    // A frame larger than its buffer could never pass, and its connection would stand still for
    // ever.
    const std::uint64_t framed = std::uint64_t{data_plane.transport.frame_bytes_max} + 16;
    if (data_plane.transport.send_buffer_bytes < framed) {
        context.fault(place("send_buffer"), "'data_plane.send_buffer' cannot hold one message of frame_bytes_max",
                      "make it larger than frame_bytes_max");
    }
    if (data_plane.inbox_bytes < data_plane.transport.frame_bytes_max) {
        context.fault(place("inbox_bytes"), "'data_plane.inbox_bytes' cannot hold one message of frame_bytes_max",
                      "make it at least frame_bytes_max");
    }
}

}  // namespace

bool PartitionConfig::allows(std::string_view common_name) const {
    const std::string name(common_name);
    if (name.empty()) return false;
    return std::any_of(shims.begin(), shims.end(),
                       [&](const std::string& glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

// Where nothing is said, shims of the first glob are trusted.
static void give_rights(PartitionConfig& partition) {
    std::vector<ShimRights>& rights = partition.engine.shim_rights;
    if (!rights.empty() || partition.shims.size() < 2) return;
    rights.push_back(ShimRights::all());
    rights.back().shim = partition.shims.front();
}

bool load_config(const std::string& file, const threads::HostCpus& host, Config& config, Faults& faults) {
    std::string text;
    YamlNode root;
    config.file = file;
    if (!read_text_file(file, text, faults) || !read_yaml(text, file, root, faults)) return false;
    ReadContext context{file, std::filesystem::path(file).parent_path(), host, faults, {}};
    if (root.kind == YamlNode::Kind::map) {
        read_settings(all_settings(), config, root, "", context);
        for (std::size_t at = 0; at < config.partitions.size(); ++at) {
            PartitionConfig& partition = config.partitions[at];
            note_given(partition, fmt::format("partitions[{}]", at), context);
            partition.engine.queues = !partition.queues_file.empty();
            give_rights(partition);
        }
        check_partitions(config, root.position, context);
        check_data_plane(config.data_plane, root.position, context);
        check_rest(config.rest, root.position, context);
    } else {
        context.fault(root.position, fmt::format("the file is {}", root.describe()),
                      "give a mapping of settings; see baypland --help-config");
    }
    sort_by_position(faults);
    return faults.empty();
}

std::string print_config(const Config& config) { return print_settings(all_settings(), config, 0); }

std::string config_manual() {
    return "The configuration of baypland is a YAML file. Each setting stands here with its "
           "default, its bounds and what\n"
           "it is for. Sizes take k M G Ki Mi Gi, durations ns us ms s m h d. Relative paths start "
           "at the file's folder.\n\n" +
           settings_manual(all_settings(), 0);
}

dataplane::DataPlaneOptions data_plane_options(const DataPlaneConfig& from) {
    dataplane::DataPlaneOptions options;
    options.port = from.port;
    options.kernel = {from.address, from.udp_port};
    options.dpdk.eal_arguments = from.eal;
    options.dpdk.device = from.device;
    // Of an IPv6 port alone there is no IPv4 address: "any" stands for none.
    options.dpdk.address = from.address == "0.0.0.0" ? "" : from.address;
    options.dpdk.udp_port = from.udp_port;
    options.dpdk.address6 = from.address6;
    options.dpdk.prefix_length = from.prefix_length;
    options.dpdk.prefix_length6 = from.prefix_length6;
    options.dpdk.gateway = from.gateway;
    options.dpdk.gateway6 = from.gateway6;
    options.dpdk.vlan = from.vlan;
    options.dpdk.telemetry = from.telemetry;
    options.dpdk.capture = from.capture;
    options.transport = from.transport;
    // The data plane cannot tell who is admitted; the gateway holds each kind to its own limit.
    options.transport.connections_max += from.unadmitted_max;
    options.idle = from.idle;
    options.server = true;
    return options;
}

std::string record_file(const Config& config, const PartitionConfig& partition) {
    if (config.record.empty() || config.partitions.size() == 1) return config.record;
    return config.record + "." + partition.name;
}

}  // namespace bayplan::config
