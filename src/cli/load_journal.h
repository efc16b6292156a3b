// The journal of a load: which pods have a place, written before the daemon is told that the shim
// knows. After kill -9 of the load it is the statement for the resync.
//
// Records: a letter and fields separated by tabs (names hold no control characters).
//   W name nodes pods    the load it belongs to; first record
//   A key node devices   allocated; without the last field: no devices
//   R key                not there any more (released, refused, or its node was lost)
//   F key                released for good
//   N node               the node was taken out of service
//
// Thread: the load's. Owner: the load. Errors: as text.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "cli/pod_book.h"
#include "client/journal.h"

namespace bayplan::cli {

class LoadJournal {
public:
    // Reads what there is into the book; nodes found lost are added to `lost`.
    static std::unique_ptr<LoadJournal> open(const std::string& path, client::Journal::Sync, PodBook&,
                                             std::set<NodeIndex>& lost, std::string& error);

    void allocated(std::string_view key, std::string_view node, std::string_view devices);
    void gone(std::string_view key);
    void finished(std::string_view key);
    void node_lost(std::string_view node);
    bool flush(std::string& error) { return journal_->flush(error); }

    std::uint64_t torn_bytes() const { return journal_->torn_bytes(); }
    std::uint64_t records() const { return journal_->records(); }

private:
    std::unique_ptr<client::Journal> journal_;
};

}  // namespace bayplan::cli
