// Where a content lies, with its hash. A table of these that grows looks at no content again: of a million contents with lists
// that would hold the thread up for seconds.
//
// Thread: any.
#pragma once

#include <cstddef>

namespace bayplan {

template <typename Key>
struct HashedKey {
    const Key* key = nullptr;  // stays where it is while the table has it
    std::size_t hash = 0;
};

struct HashOfKey {
    template <typename Key>
    std::size_t operator()(const HashedKey<Key>& hashed) const {
        return hashed.hash;
    }
};

struct SameKey {
    template <typename Key>
    bool operator()(const HashedKey<Key>& a, const HashedKey<Key>& b) const {
        return a.hash == b.hash && *a.key == *b.key;
    }
};

}  // namespace bayplan
