// One client that reads events as they happen. It reads the store by id and keeps no events of its own, so a slow one costs
// nothing; when what it should read next has given way in the store, it is told so and ends.
//
// Thread: the server's; the store wakes it from any. Owner: the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "events/event_store.h"
#include "http/message.h"

namespace bayplan::rest {

// How many streams there are, overall and by host.
class StreamPlaces {
public:
    // False: there are as many as there may be.
    bool take(const std::string& host, std::uint32_t overall_max, std::uint32_t of_host_max);
    void give_back(const std::string& host);

private:
    std::unordered_map<std::string, std::uint32_t> of_host_;
    std::uint32_t overall_ = 0;
};

class EventStream final : public http::ChunkSource {
public:
    // `ended`: called once, when the stream or its client has ended.
    EventStream(events::EventStore&, std::uint64_t history, std::function<void()> ended);
    ~EventStream() override;

    State next(std::string& piece) override;
    void on_wake(std::function<void()> wake) override;

private:
    events::EventStore& store_;
    std::uint64_t next_id_;
    std::uint64_t number_ = 0;  // of the stream in the store; 0: it has none yet
    bool begun_ = false;
    std::function<void()> ended_;
};

}  // namespace bayplan::rest
