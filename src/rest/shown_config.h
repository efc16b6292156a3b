// The configuration of queues that is in force, for everybody who asks for it. Its owner puts a new one in the place of the
// old; an answer that is being made keeps the configuration that it began with.
//
// Thread: ConfigBoard: any; the rest is constant data.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "queue_config/model.h"

namespace bayplan::rest {

struct ShownConfig {
    queue_config::SchedulerConfig config;      // with names as they were written
    std::string checksum;                      // of its text; empty: there is no text
    std::map<std::string, std::string> extra;  // settings beside the text, not about queues
};

// Of a text of queues.yaml that was found sound before. Null: it is not sound.
std::shared_ptr<const ShownConfig> show_config(const std::string& text, std::map<std::string, std::string> extra);

// Of a partition without queues of its own: one leaf, for everybody.
queue_config::PartitionConfig partition_with_one_leaf(const std::string& name);

class ConfigBoard {
public:
    explicit ConfigBoard(std::shared_ptr<const ShownConfig> first) : shown_(std::move(first)) {}

    void show(std::shared_ptr<const ShownConfig> next) {
        const std::lock_guard lock(mutex_);
        shown_ = std::move(next);
    }
    std::shared_ptr<const ShownConfig> shown() const {
        const std::lock_guard lock(mutex_);
        return shown_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const ShownConfig> shown_;
};

}  // namespace bayplan::rest
