// A partition's table with some rows more, and without the names of files.
//
// Thread: any.
#include "config/recorded_partition.h"

#include "config/setting_values.h"
#include "config/settings.h"

namespace bayplan::config {
namespace {

const Settings<PartitionConfig>& recorded_settings() {
    static const Settings<PartitionConfig> table = [] {
        Settings<PartitionConfig> result = partition_settings();
        // The text of queues is an input of the run, and what a scheduler's file says stands in the engine's settings: the files
        // need not be where it is replayed.
        std::erase_if(result, [](const auto& setting) {
            return setting.name == "queues_file" || setting.name == "scheduler_config" ||
                   setting.name == "scheduler_name";
        });
        result.push_back(choice("queues", MEMBER(PartitionConfig, engine.queues),
                                Choices<bool>{{"no", false}, {"yes", true}}, "Whether there is a tree of queues."));
        result.push_back(choice("user_groups", MEMBER(PartitionConfig, engine.user_groups),
                                Choices<bool>{{"no", false}, {"yes", true}},
                                "Whether groups that shims state of users count."));
        result.push_back(choice("application_tags", MEMBER(PartitionConfig, engine.application_tags),
                                Choices<bool>{{"no", false}, {"yes", true}},
                                "Whether tags that shims state of applications count."));
        result.push_back(choice("forced_by_right", MEMBER(PartitionConfig, engine.forced_by_right),
                                Choices<bool>{{"no", false}, {"yes", true}},
                                "Whether applications are forced for shims alone that have the right."));
        result.push_back(number("daemon_instance", MEMBER(PartitionConfig, engine.daemon_instance), NumberForm::plain,
                                {1, std::numeric_limits<std::int64_t>::max()}, "",
                                "Chosen at random when the daemon started."));
        return result;
    }();
    return table;
}

}  // namespace

std::string recorded_text(const PartitionConfig& partition) {
    return print_settings(recorded_settings(), partition, 0);
}

bool parse_recorded_text(const std::string& text, const std::string& name, PartitionConfig& partition, Faults& faults) {
    YamlNode root;
    const std::size_t faults_before = faults.size();
    if (!read_yaml(text, name, root, faults)) return false;
    const threads::HostCpus no_host;  // a partition has no CPUs to check
    ReadContext context{name, {}, no_host, faults, {}};
    // Recordings of before there were gangs do not have it, and nothing of them is to be read as one. Of before pods were
    // resized: they were refused. Of before tags and groups were: they counted for nothing, and later any shim could force
    // an application. Nothing was completed by time. Nothing was reserved for gangs, and nobody preempted for a guarantee. Pod
    // terms had no limit.
    partition.engine.coscheduling.mode = Coscheduling::off;
    partition.engine.coscheduling.reserve_after_ns = 0;
    partition.engine.preemption.guarantee = false;
    partition.engine.resize_in_place = false;
    partition.engine.allocation_tags = false;
    partition.engine.user_groups = false;
    partition.engine.application_tags = false;
    partition.engine.forced_by_right = false;
    partition.engine.application_idle_ns = 0;
    partition.engine.label_terms_max = 10'000'000;
    partition.engine.topology_keys_max = 10'000'000;
    read_settings(recorded_settings(), partition, root, "", context);
    sort_by_position(faults);
    return faults.size() == faults_before;
}

}  // namespace bayplan::config
