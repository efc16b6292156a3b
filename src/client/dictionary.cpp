// See dictionary.h. Wire ids are table ids plus one, because 0 means "not given" on the wire.
#include "client/dictionary.h"

namespace bayplan::client {

DictId Dictionary::id(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    TextId known = table_->find(text);
    if (known == kNone<TextId>) {
        known = table_->acquire(text);
        untold_.push_back(DictEntry{raw(known) + 1, table_->text(known)});
    }
    return raw(known) + 1;
}

DictId Dictionary::forget(std::string_view text) {
    const TextId known = table_->find(text);
    if (known == kNone<TextId>) {
        return 0;
    }
    table_->release(known);
    return raw(known) + 1;
}

void Dictionary::clear() {
    untold_.clear();
    table_ = std::make_unique<Table>();
}

}  // namespace bayplan::client
