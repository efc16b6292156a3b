// Messages of shims that one engine has not applied yet: a queue for each shim, served in turns. A shim whose
// messages are dear, or many, costs others the length of its turn and no more.
//
// Thread: the engine's. An item's bytes and place count in its inbox until it is done; how much a connection may have there
// is the gateway's to limit.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "bayplan/messages.h"
#include "daemon/inbox.h"

namespace bayplan::daemon {

class ShimTurns {
public:
    struct Waiting {
        InboxItem item;
        Inbox* inbox = nullptr;
        StateMessage rest;   // of a message of which pieces were applied
        bool begun = false;  // of which some were
    };
    using Queue = std::deque<Waiting>;

    // Messages of one shim stay in order, also over connections that follow each other.
    void put(InboxItem&& item, Inbox& inbox) {
        Lane& lane = lane_of(item);
        if (lane.waiting.empty()) turns_.push_back(&lane);
        lane.waiting.push_back({std::move(item), &inbox, {}, false});
    }

    bool empty() const { return turns_.empty(); }
    // How many shims have sent anything.
    std::size_t shims() const { return turns_.size(); }

    // Messages of the shim whose turn it is, in order; not empty.
    Queue& front() { return turns_.front()->waiting; }
    // Its first is done.
    void pop() {
        Queue& queue = front();
        queue.front().inbox->done(queue.front().item);
        queue.pop_front();
        if (queue.empty()) turns_.pop_front();
    }
    // It is the turn of the next shim that has sent anything.
    void next() {
        if (turns_.size() > 1) {
            turns_.push_back(turns_.front());
            turns_.pop_front();
        }
    }

private:
    struct Lane {
        Queue waiting;
    };

    Lane& lane_of(const InboxItem& item) {
        if (const auto* connect = std::get_if<ConnectItem>(&item)) {
            Lane& lane = lanes_[connect->shim];
            of_connection_[connect->connection] = &lane;
            return lane;
        }
        const auto* disconnect = std::get_if<DisconnectItem>(&item);
        const auto* frame = std::get_if<FrameItem>(&item);
        const ConnectionId connection = disconnect != nullptr ? disconnect->connection : frame->connection;
        const auto found = of_connection_.find(connection);
        if (found == of_connection_.end()) return lanes_[std::string()];  // no hello of it was accepted
        Lane& lane = *found->second;
        if (disconnect != nullptr) of_connection_.erase(found);
        return lane;
    }

    std::map<std::string, Lane, std::less<>> lanes_;  // by shim; as few as there ever were
    std::map<ConnectionId, Lane*> of_connection_;
    std::deque<Lane*> turns_;  // of shims that have sent anything
};

}  // namespace bayplan::daemon
