// The endpoint that Prometheus reads: the state of partitions from versions of their read models, then the daemon's own
// families as it told them last.
//
// Thread: handlers run on the server's; MetricsBoard: any.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/router.h"
#include "rest/state_routes.h"

namespace bayplan::rest {

// The daemon's own families, in the text format of Prometheus. Its owner puts a new text in the place of the old.
class MetricsBoard {
public:
    void show(std::string text) {
        auto next = std::make_shared<const std::string>(std::move(text));
        const std::lock_guard lock(mutex_);
        shown_ = std::move(next);
    }
    std::shared_ptr<const std::string> shown() const {
        const std::lock_guard lock(mutex_);
        return shown_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const std::string> shown_ = std::make_shared<const std::string>();
};

// `own`: null: the state of partitions alone. Both outlive the server.
std::vector<http::Route> metrics_routes(const ShownPartitions&, const MetricsBoard* own);

}  // namespace bayplan::rest
