// A partition as its metrics show it: sums are found once, for all families.
//
// Thread: its owner's. Holds its version.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/answers.h"
#include "answers/queue_view.h"
#include "base/metric_text.h"

namespace bayplan::answers {

// States of an application that YuniKorn's families of queues have.
inline constexpr std::array<std::string_view, 9> kQueueStates = {
    "new", "accepted", "running", "rejected", "failing", "failed", "resuming", "completing", "completed"};
// And its family of all applications.
inline constexpr std::array<std::string_view, 6> kApplicationStates = {"running",    "resuming",  "failing",
                                                                       "completing", "completed", "failed"};

class ShownMetrics {
public:
    using Counts = std::map<std::string, std::uint64_t, std::less<>>;  // of applications, by state
    using Row = std::pair<std::string_view, const QueueNode*>;         // path, queue

    ShownMetrics(VersionPtr from, const Place&);
    ShownMetrics(const ShownMetrics&) = delete;
    ShownMetrics& operator=(const ShownMetrics&) = delete;

    const read_model::Version& version() const { return *version_; }
    const std::string& partition() const { return partition_; }
    const std::vector<Row>& rows() const { return rows_; }
    // Complete ones ever, the others now.
    std::uint64_t in_state(std::string_view state) const;
    std::uint64_t in_state(std::string_view queue, std::string_view state) const;
    const read_model::QueueTally& tally(std::string_view queue) const;

    // --- samples of a queue, for the family begun last; `partition`: its label, or empty
    void put_applications(MetricText&, std::string_view partition, const Row&) const;
    void put_resources(MetricText&, std::string_view partition, const Row&) const;
    void put_containers(MetricText&, std::string_view partition, const Row&) const;

private:
    VersionPtr version_;
    std::string partition_;
    QueueView queues_;
    std::vector<Row> rows_;
    Counts by_state_;
    std::map<std::string, Counts, std::less<>> by_queue_;
    std::map<std::string_view, read_model::QueueTally, std::less<>> tallies_;
};

}  // namespace bayplan::answers
