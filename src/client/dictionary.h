// The client's side of the dictionary: which id stands for which text on this connection, and which
// definitions have still to be told to the daemon before the ids may be used.
//
// Thread: any that holds the outbox's lock. Owns the texts.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "bayplan/messages.h"

namespace bayplan::client {

class Dictionary {
public:
    // The id of the text; a new one is defined with the next message. 0 for the empty text.
    DictId id(std::string_view text);
    // Frees the id of a text; 0 if it has none.
    DictId forget(std::string_view text);

    // Definitions not yet told; valid until the next id() or clear.
    std::span<const DictEntry> untold() const { return untold_; }
    void mark_told() { untold_.clear(); }

    // The daemon has forgotten everything.
    void clear();

private:
    enum class TextId : std::uint32_t {};
    using Table = NameTable<TextId>;

    std::unique_ptr<Table> table_ = std::make_unique<Table>();
    std::vector<DictEntry> untold_;
};

}  // namespace bayplan::client
