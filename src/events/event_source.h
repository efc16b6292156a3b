// Makes events of the changes that an engine tells its read model: what was, and what is now, is an event where YuniKorn has
// one for it. The engine has no part in it: it writes the records that the model needs anyway.
//
//   record -> before(): what stands in the model -> the model takes it in -> after(): what stands now -> EventStore
//
// After a loss of changes (read_model/change_feed.h) the model hears everything anew; that makes no events but one, which tells
// of the gap: changes in it are in no event.
//
// Thread: the model's. Owner: the maker of the model; the store is the daemon's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/seeded_hash.h"
#include "events/event_store.h"
#include "read_model/model.h"

namespace bayplan::events {

struct SourceOptions {
    std::string partition;
    std::int64_t zero_tick_ns = 0;  // when the engine's clock was 0, since 1970
    // NODE_OCCUPIED, with each pod of another scheduler: deprecated, for NODE_ALLOC is told of these pods too.
    bool node_occupied = true;
};

class EventSource final : public read_model::ModelListener {
public:
    EventSource(EventStore& store, SourceOptions options) : store_(store), options_(std::move(options)) {}

    void before(const read_model::Change&, const read_model::Model&) override;
    void after(const read_model::Change&, const read_model::Model&) override;

private:
    using Model = read_model::Model;
    using Change = read_model::Change;

    using AmountsText = std::shared_ptr<const std::string>;  // of all pods of a shape; null: none

    // Things as they were told, by their ids.
    struct ToldPod {
        AmountsText amounts;  // that it asks for
        std::uint32_t application = read_model::kNobody;
        std::uint32_t node = read_model::kNobody;      // where it is
        std::uint32_t reserved = read_model::kNobody;  // the node that is kept free for it
        bool asks = false;                             // it was told as an ask, which ends with the pod
        bool foreign = false;
        std::int64_t reason_ns = INT64_MIN;  // of its last event about why it waits
    };
    struct ToldApplication {
        std::uint8_t state = read_model::kNoApplicationState;
        std::uint32_t placed = 0;  // pods with a node
        std::string group;         // for which it counts while it has any; empty: none
    };

    void begin_again();
    void emit(EventType, EventChange, EventDetail, std::string_view object, std::string_view reference = {},
              std::string_view message = {}, std::string_view amounts = {});
    template <typename Entry>
    static Entry& at(std::vector<Entry>& entries, std::uint32_t id) {
        if (id >= entries.size()) {
            entries.resize(std::max<std::size_t>(id + std::size_t{1}, 2 * entries.size()));
        }
        return entries[id];
    }

    // --- pod_events.cpp
    void shape_told(std::uint32_t id, const Model&);
    void pod_told(const Change&, const Model&);
    void pod_goes(const Change&, const Model&);
    void pod_waits(const Change&, const Model&);
    void pod_preempted(const Change&, const Model&);
    void leave(ToldPod&, std::string_view key, const read_model::Pod& next, const Model&);
    void begin_ask(ToldPod&, std::string_view key, const Model&);
    void end_ask(ToldPod&, std::string_view key, const Model&);
    void add_allocation(const ToldPod&, std::string_view key, const Model&);
    void remove_allocation(ToldPod&, std::string_view key, EventDetail, const Model&);
    void reserve(ToldPod&, std::string_view key, std::uint32_t node, const Model&);
    void end_reservation(ToldPod&, std::string_view key, const Model&);
    void of_application(EventChange, EventDetail, const ToldPod&, std::string_view key, const Model&);
    void of_node(EventChange, const ToldPod&, std::string_view key, const Model&);
    void of_user(EventChange, const ToldPod&, const Model&);
    void request(std::uint32_t pod, std::string_view message, const Model&);

    // --- object_events.cpp
    void node_told(const Change&, const Model&);
    void node_goes();
    void application_told(const Change&, const Model&);
    void application_goes(const Change&, const Model&);
    void application_state(std::uint32_t application, const Model&);
    void link(std::uint32_t application, const Model&);
    void unlink(std::uint32_t application, const Model&);
    std::string group_of(const read_model::ApplicationFacts&, const Model&) const;
    void queue_told(const Change&, const Model&);
    void queue_goes();
    void turn_ends();
    void limits_told(const queue_tree::Queue* was, const queue_tree::Queue* is);

    EventStore& store_;
    const SourceOptions options_;
    std::int64_t time_ns_ = 0;  // of the record at hand, since 1970
    bool silent_ = false;       // everything is told anew
    bool began_ = false;

    std::vector<ToldPod> pods_;
    std::vector<ToldApplication> applications_;
    using Amounts = std::map<std::string, std::int64_t>;
    std::vector<Amounts> occupied_;  // by node: of pods of other schedulers
    std::vector<AmountsText> amounts_of_shape_;
    boost::unordered_flat_map<std::string, std::uint32_t, TextHash, std::equal_to<>> queues_;  // by path

    // Of the record at hand, before the model took it in.
    std::uint32_t application_ = read_model::kNobody;  // of the pod that goes
    bool is_new_ = false;                              // the application
    std::shared_ptr<const read_model::NodeFacts> node_;
    std::string capacity_;  // of the node
    read_model::QueueFacts queue_;

    // Told at the end of the turn, after all queues.
    struct LimitEvent {
        EventChange change;
        EventDetail detail;
        std::string name;
        std::string path;
    };
    std::vector<LimitEvent> limit_events_;
};

// Amounts of a model as an event has them: by name.
std::string amounts_text(const read_model::AmountList&, const read_model::SharedTexts&);
// The path of the queue that an application is in; that of the one leaf where there are no queues.
std::string_view queue_of(const read_model::ApplicationFacts&);

}  // namespace bayplan::events
