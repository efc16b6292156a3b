// The partition as the changes tell it: tables by the engine's ids. Used and pending amounts are not told but summed up from
// pods (version.h), so that it can be held against the engine's own sums.
//
// Thread: its owner's. Errors: a change that names a thing that was not told of is a fault of the engine, and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "read_model/change_feed.h"
#include "read_model/entries.h"
#include "read_model/tallies.h"
#include "read_model/version.h"

namespace bayplan::read_model {

class Model;

// Told of each record before and after the model has taken it in.
class ModelListener {
public:
    virtual void before(const Change&, const Model&) = 0;
    virtual void after(const Change&, const Model&) = 0;

protected:
    ~ModelListener() = default;
};

class Model {
public:
    // Null: none. It outlives the model.
    explicit Model(ModelListener* listener = nullptr) : listener_(listener) {}

    // Takes in what lies in the ring; at most so many records. Returns how many. Asks for a snapshot if some were lost.
    std::size_t take(ChangeFeed&, std::size_t records_max = SIZE_MAX);
    // False while a snapshot comes in: what is known is a part.
    bool is_whole() const { return whole_; }
    // It is whole, and no turn of the engine is half told.
    bool can_make_version() const { return whole_ && at_turn_end_; }
    // Something came in since the last version.
    bool has_news() const { return changes_ != in_version_; }
    std::uint64_t changes() const { return changes_; }  // records taken, ever
    std::uint64_t snapshots() const { return snapshots_; }

    // The present state. Only if it can be made.
    VersionPtr make_version();

    // --- things as they stand now; null: the id was never used
    const Pod* pod(std::uint32_t id) const { return pods_.find(id); }
    std::string_view key(std::uint32_t pod) const { return keys_.text(pod); }
    const Node* node(std::uint32_t id) const { return nodes_.find(id); }
    const Application* application(std::uint32_t id) const { return applications_.find(id); }
    const Shape* shape(std::uint32_t id) const { return shapes_.find(id); }
    const Queue* queue(std::uint32_t id) const { return queues_.find(id); }
    const SharedTexts& texts() const { return texts_; }

private:
    void apply(const Change&, ChangeFeed&);
    void begin_again();
    void take_queue(std::uint32_t id, QueueFacts facts);
    void take_node(const Change&);
    void drop_node(std::uint32_t id);
    void take_application(const Change&);
    void tally_application(Application&, std::string_view queue, std::uint8_t state);
    void take_application_state(const Change&);
    void take_rest(const Change&);
    void take_rejection(const Change&);
    void drop_application(std::uint32_t id);
    void begin_run(Application&);
    void end_run(const Application&);
    void raise_most(Application&, const AmountList& used);
    void forget_most(Application&);
    void count_placeholder(const Pod&, std::uint8_t termination, bool is_new);
    void take_shape(const Change&);
    void take_pod(const Change&);
    void take_pod_state(const Change&);
    void take_reason(const Change&);
    void drop_pod(std::uint32_t id);
    void set_tags(std::uint32_t id, std::string_view pairs);
    void set_state(Pod&, const ChangeHead&);
    void count(const Pod&, int sign);
    std::uint32_t tally_of(const Pod&) const;
    void count_change(std::uint32_t tally_before, std::uint32_t tally_now);
    AmountList amounts_in(std::string_view text);
    void release(const AmountList&);

    ModelListener* const listener_;
    Chunks<Pod> pods_;
    PackedTexts keys_;
    PackedTexts tags_;
    Chunks<Node> nodes_;
    Chunks<Application> applications_;
    std::vector<AmountList> used_;  // by application
    EndedApplications ended_;
    Tallies tallies_;
    Chunks<Shape> shapes_;
    Chunks<Queue> queues_;
    SharedTexts texts_;
    PartitionFacts partition_;
    std::vector<std::string> shims_;
    std::uint32_t pod_count_ = 0;
    std::uint32_t node_count_ = 0;
    std::uint32_t application_count_ = 0;
    bool whole_ = false;
    bool at_turn_end_ = false;
    std::uint64_t changes_ = 0;
    std::uint64_t in_version_ = UINT64_MAX;
    std::uint64_t versions_ = 0;
    std::uint64_t snapshots_ = 0;
    std::int64_t now_ns_ = 0;
};

}  // namespace bayplan::read_model
