// See config_command.h.
#include "cli/config_command.h"

#include <memory>

#include <fmt/format.h>

#include "config/text_file.h"
#include "queue_config/load.h"

namespace bayplan::cli {

namespace {

constexpr int kExitFaults = 1;
constexpr int kExitInput = 2;

struct QueueCount {
    std::size_t queues = 0;
    std::size_t leaves = 0;

    void add(const queue_config::QueueConfig& queue) {
        ++queues;
        if (!queue.is_parent()) ++leaves;
        if (!queue.queues) return;
        for (const queue_config::QueueConfig& child : *queue.queues) add(child);
    }
};

std::string summary(const queue_config::PartitionConfig& partition) {
    QueueCount count;
    count.add(partition.root());
    return fmt::format("partition {}: {} queues, {} of them leaves; {} placement rules\n", partition.name.text,
                       count.queues, count.leaves, partition.placement_rules.size());
}

}  // namespace

int validate_queue_config(const std::string& file, std::string& out, std::string& error) {
    std::string text;
    config::Faults faults;
    if (!config::read_text_file(file, text, faults)) {
        for (const config::Fault& fault : faults) error += fault.to_string() + "\n";
        return kExitInput;
    }
    queue_config::SchedulerConfig config;
    if (!queue_config::load_queue_config(text, file, config, faults)) {
        for (const config::Fault& fault : faults) out += fault.to_string() + "\n";
        return kExitFaults;
    }
    for (const queue_config::PartitionConfig& partition : config.partitions) out += summary(partition);
    out += fmt::format("checksum {}\n", queue_config::checksum_of(text));
    return 0;
}

void add_config_command(CLI::App& app, int& exit_code) {
    CLI::App* const command = app.add_subcommand("config", "configuration of queues");
    command->require_subcommand(1);
    CLI::App* const validate =
        command->add_subcommand("validate", "every fault of a YuniKorn queues.yaml, as file:line:column");
    const auto file = std::make_shared<std::string>();
    validate->add_option("FILE", *file, "the queues.yaml")->required();
    validate->callback([file, &exit_code] {
        std::string out;
        std::string error;
        exit_code = validate_queue_config(*file, out, error);
        fmt::print("{}", out);
        fmt::print(stderr, "{}", error);
    });
}

}  // namespace bayplan::cli
