// See config_command.h.
#include "cli/config_command.h"

#include <memory>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/exit_status.h"
#include "cli/output_option.h"
#include "config/text_file.h"
#include "queue_config/load.h"

namespace bayplan::cli {

namespace json = boost::json;

namespace {

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

std::string as_json(const queue_config::SchedulerConfig& config, const std::string& text,
                    const config::Faults& faults) {
    json::array told;
    for (const config::Fault& fault : faults) {
        told.push_back(json::object{{"file", fault.file},
                                    {"line", fault.position.line},
                                    {"column", fault.position.column},
                                    {"what", fault.what}});
    }
    json::array partitions;
    for (const queue_config::PartitionConfig& partition : config.partitions) {
        QueueCount count;
        count.add(partition.root());
        partitions.push_back(json::object{{"name", partition.name.text},
                                          {"queues", count.queues},
                                          {"leaves", count.leaves},
                                          {"placementRules", partition.placement_rules.size()}});
    }
    json::object all{{"faults", told}, {"partitions", partitions}};
    if (faults.empty()) all["checksum"] = queue_config::checksum_of(text);
    return json::serialize(all) + "\n";
}

}  // namespace

int validate_queue_config(const std::string& file, bool wants_json, std::string& out, std::string& error) {
    std::string text;
    config::Faults faults;
    if (!config::read_text_file(file, text, faults)) {
        for (const config::Fault& fault : faults) error += fault.to_string() + "\n";
        return kExitInput;
    }
    queue_config::SchedulerConfig config;
    const bool sound = queue_config::load_queue_config(text, file, config, faults);
    if (wants_json) {
        out = as_json(sound ? config : queue_config::SchedulerConfig(), text, faults);
        return sound ? 0 : kExitUnwell;
    }
    if (!sound) {
        for (const config::Fault& fault : faults) out += fault.to_string() + "\n";
        return kExitUnwell;
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
    const auto form = std::make_shared<std::string>("table");
    validate->add_option("FILE", *file, "the queues.yaml")->required();
    add_output_option(*validate, *form);
    validate->callback([file, form, &exit_code] {
        std::string out;
        std::string error;
        exit_code = validate_queue_config(*file, *form == "json", out, error);
        fmt::print("{}", out);
        fmt::print(stderr, "{}", error);
    });
}

}  // namespace bayplan::cli
