// See scheduler_files.h.
//
// A setting of a partition that its scheduler's file contradicts is a fault: with either above the other, one of the two would be
// wrong without a word.
#include "daemon/scheduler_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/load.h"
#include "config/text_file.h"
#include "daemon/node_order.h"
#include "options/score_rows.h"
#include "scheduler_config/scheduler_config.h"

namespace bayplan::daemon {
namespace {

using config::PartitionConfig;
using scheduler_config::ConfigUse;
using scheduler_config::SchedulerConfig;

class SchedulerFile {
public:
    SchedulerFile(const std::string& file, std::size_t index, PartitionConfig& partition, config::Faults& faults)
        : file_(file), path_(fmt::format("partitions[{}]", index)), partition_(partition), faults_(faults) {}

    void read(std::vector<std::string>& remarks) {
        const std::size_t faults_before = faults_.size();
        std::string text;
        if (!config::read_text_file(partition_.scheduler_config, text, faults_)) return;
        const auto reading = scheduler_config::read_scheduler_config(std::move(text), partition_.scheduler_config,
                                                                     partition_.scheduler_name, ConfigUse::daemon);
        for (const std::string& fault : reading.faults) note("scheduler_config", fault, {});
        remarks.insert(remarks.end(), reading.remarks.begin(), reading.remarks.end());
        if (!reading.config) return;
        EngineOptions in_force = partition_.engine;
        in_force.preemption.enabled = true;  // the file says
        reading.config->apply(in_force);
        if (reading.config->profiles.front().predicates.empty()) in_force.predicates.clear();
        keep_own(in_force);
        compare(in_force);
        if (faults_.size() == faults_before) partition_.engine = std::move(in_force);
    }

private:
    void note(const std::string& setting, std::string what, std::string remedy) {
        const auto at = partition_.given.find(setting);
        const config::Position position = at == partition_.given.end() ? config::Position{} : at->second;
        faults_.push_back(
            {file_, position, fmt::format("'{}.{}': {}", path_, setting, std::move(what)), std::move(remedy)});
    }

    // Kubernetes does not know the score, and its file does not switch it off by saying nothing of it.
    void keep_own(EngineOptions& in_force) const {
        std::int32_t& weight = in_force.weights[ScoreId::device_packing];
        if (weight == 0) weight = partition_.engine.weights[ScoreId::device_packing];
    }

    void compare(const EngineOptions& in_force) {
        const EngineOptions& own = partition_.engine;
        agree("predicates", own.predicates == in_force.predicates);
        agree("score", own.score == in_force.score);
        agree("score_shape", std::ranges::equal(own.score_shape, in_force.score_shape, [](auto& one, auto& other) {
                  return one.utilization == other.utilization && one.score == other.score;
              }));
        agree("score_resources", own.score_resources == in_force.score_resources);
        for (const ScoreRow& row : kScoreRows) {
            agree(fmt::format("score_weights.{}", row.name), own.weights[row.id] == in_force.weights[row.id]);
        }
        agree("preemption.enabled", own.preemption.enabled == in_force.preemption.enabled);
        agree("backoff_initial", own.backoff_initial_ns == in_force.backoff_initial_ns);
        agree("backoff_max", own.backoff_max_ns == in_force.backoff_max_ns);
    }

    void agree(const std::string& setting, bool same) {
        if (same || !partition_.given.contains(setting)) return;
        note(setting, fmt::format("{} says otherwise", partition_.scheduler_config), "remove it, or scheduler_config");
    }

    const std::string& file_;
    const std::string path_;
    PartitionConfig& partition_;
    config::Faults& faults_;
};

}  // namespace

void read_scheduler_files(config::Config& config, config::Faults& faults) {
    for (std::size_t at = 0; at < config.partitions.size(); ++at) {
        PartitionConfig& partition = config.partitions[at];
        if (partition.scheduler_config.empty()) continue;
        SchedulerFile(config.file, at, partition, faults).read(config.remarks);
    }
}

bool load_config(const std::string& file, const threads::HostCpus& host, config::Config& config,
                 config::Faults& faults) {
    config::load_config(file, host, config, faults);
    read_scheduler_files(config, faults);
    read_node_sort_policies(config, faults);
    config::sort_by_position(faults);
    return faults.empty();
}

}  // namespace bayplan::daemon
