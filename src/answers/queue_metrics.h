// Families of one queue each, named after it: yunikorn_root_prod_queue_app. YuniKorn has yunikorn_<queue>_queue_container; the
// other two are what it had until 1.7, and what its own dashboard still asks for.
//
// Thread: its owner's; what it was made from outlives it.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "answers/shown_metrics.h"
#include "base/metric_text.h"

namespace bayplan::answers {

class QueueMetrics {
public:
    explicit QueueMetrics(const std::deque<ShownMetrics>&);

    // The families of one name more; false: there are no more. Queues whose names differ in letters that a name of a
    // metric cannot have share families; the label tells them apart.
    bool step(MetricText&);

private:
    struct Named {
        std::string name;  // root_prod
        const ShownMetrics* partition = nullptr;
        std::size_t row = 0;
        bool operator<(const Named&) const;
    };

    std::vector<Named> queues_;  // by name
    std::size_t at_ = 0;
    bool with_partition_ = false;
};

}  // namespace bayplan::answers
