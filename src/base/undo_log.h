// Changes as small records in order, so that they can be undone in reverse, wholly or to a mark.
//
// Thread: its owner's. A record has the facts to undo its change; the owner knows how. No memory is taken once the log
// has been as long.
#pragma once

#include <cstddef>
#include <vector>

namespace bayplan {

template <typename Record>
class UndoLog {
public:
    std::size_t mark() const { return records_.size(); }
    bool empty() const { return records_.empty(); }
    void note(const Record& record) { records_.push_back(record); }

    // Calls undo(record) for each after the mark, the last first. It must note nothing.
    template <typename Undo>
    void undo_to(std::size_t mark, Undo&& undo) {
        while (records_.size() > mark) {
            const Record record = records_.back();
            records_.pop_back();
            undo(record);
        }
    }
    // The last record after the mark that `is` says yes to is undone by undo(record), out of its turn: for records that may
    // be undone in any order. False: there is none.
    template <typename Is, typename Undo>
    bool undo_one(std::size_t mark, Is&& is, Undo&& undo) {
        for (std::size_t at = records_.size(); at-- > mark;) {
            if (is(records_[at])) {
                const Record record = records_[at];
                records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(at));
                undo(record);
                return true;
            }
        }
        return false;
    }
    // each(record), the first first.
    template <typename Each>
    void for_each(Each&& each) const {
        for (const Record& record : records_) {
            each(record);
        }
    }
    void clear() { records_.clear(); }

private:
    std::vector<Record> records_;
};

}  // namespace bayplan
