// Everything told anew, in slices. See publication.h.

#include "engine/publication.h"

namespace bayplan {

using read_model::ChangeKind;

namespace {

// Ids that a turn looks at for a snapshot: some hundred microseconds.
constexpr int kSlice = 1'024;

}  // namespace

void Publication::begin_snapshot() {
    for (Told* const told : {&shims_, &nodes_, &applications_, &shapes_, &asks_}) {
        told->clear();
    }
    table_ = Table::shims;
    cursor_ = 0;
}

bool Publication::is_past_end() const {
    switch (table_) {
        case Table::shims: return cursor_ >= world_.shims.size();
        case Table::partition: return cursor_ >= 1;
        case Table::queues: return world_.tree == nullptr || cursor_ >= world_.tree->queues().end();
        case Table::nodes: return cursor_ >= world_.nodes.slot_count();
        case Table::applications: return cursor_ >= world_.applications.end();
        case Table::asks: return cursor_ >= world_.asks.end();
        case Table::end: break;
    }
    return false;
}

void Publication::tell_at_cursor() {
    switch (table_) {
        case Table::shims: tell_shim(ShimId{cursor_}); break;
        case Table::partition: partition_changed(); break;
        case Table::queues:
            if (world_.tree->queues()[queue_tree::QueueId{cursor_}].exists) {
                tell_queue(queue_tree::QueueId{cursor_});
            }
            break;
        case Table::nodes: tell_node(Slot{cursor_}); break;
        case Table::applications:
            if (world_.applications[ApplicationId{cursor_}].alive) {
                tell_application(ApplicationId{cursor_});
            }
            break;
        case Table::asks:
            if (world_.asks.contains(AskId{cursor_})) {
                tell_ask_of_snapshot(AskId{cursor_});
            }
            break;
        case Table::end: break;
    }
}

// Other reasons come with the pods' next attempts.
void Publication::tell_ask_of_snapshot(AskId id) {
    const bool is_new = !asks_.has(raw(id));
    tell_ask(id);
    if (is_new && (world_.asks[id].state == AskState::queried || world_.asks[id].state == AskState::asking)) {
        tell_queried(id);
    }
}

// Of the snapshot: true if there is more.
bool Publication::tell_slice() {
    for (int left = kSlice; left > 0 && feed_.has_room_for_more() && !feed_.lost(); --left) {
        while (is_past_end()) {
            table_ = static_cast<Table>(static_cast<std::uint8_t>(table_) + 1);
            cursor_ = 0;
        }
        if (table_ == Table::end) {
            feed_.write(head(ChangeKind::snapshot_end, 0));
            return false;
        }
        tell_at_cursor();
        ++cursor_;
    }
    return !feed_.lost();
}

bool Publication::turn_ends() {
    if (feed_.lost() && feed_.begin_again(world_.now_ns)) {
        begin_snapshot();
    }
    tell_changed_queues();
    const bool more = !feed_.lost() && table_ != Table::end && tell_slice();
    if (feed_.written() != written_) {
        feed_.write(head(ChangeKind::turn_end, 0));
        written_ = feed_.written();
    }
    feed_.turn_ends(world_.now_ns);
    return more;
}

}  // namespace bayplan
