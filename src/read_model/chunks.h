// Entries by dense id in chunks that versions share: a writer has the newest, readers keep older ones. A chunk that a version
// has is copied before it is changed, once per version; what a reader holds never changes.
//
//   newest   [A3] [B1] [C2]          a number: the version after which the chunk was made
//   version 2 [A1] [B1] [C2]         A was changed since
//
// Thread: Chunks: its owner's; a ChunkView: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bayplan::read_model {

inline constexpr std::uint32_t kPerChunk = 256;

template <typename Entry>
struct Chunk {
    std::uint64_t made_after = 0;
    std::array<Entry, kPerChunk> entries{};
};

// Entries of one version. Ids that were never used, or are beyond the end, have no entry.
template <typename Entry>
class ChunkView {
public:
    const Entry* find(std::uint32_t id) const {
        const std::uint32_t number = id / kPerChunk;
        return number < chunks_.size() && chunks_[number] ? &chunks_[number]->entries[id % kPerChunk] : nullptr;
    }
    // Ids are below.
    std::uint32_t end() const { return static_cast<std::uint32_t>(chunks_.size()) * kPerChunk; }
    // each(id, entry), by id, for entries that are in use.
    template <typename Each>
    void for_each(Each&& each) const {
        for (std::uint32_t number = 0; number < chunks_.size(); ++number) {
            for (std::uint32_t at = 0; chunks_[number] && at < kPerChunk; ++at) {
                if (const Entry& entry = chunks_[number]->entries[at]; entry.in_use()) {
                    each(number * kPerChunk + at, entry);
                }
            }
        }
    }
    std::size_t bytes() const {
        std::size_t count = 0;
        for (const auto& chunk : chunks_) {
            count += chunk ? 1 : 0;
        }
        return count * sizeof(Chunk<Entry>) + chunks_.capacity() * sizeof(chunks_[0]);
    }

private:
    template <typename>
    friend class Chunks;
    std::vector<std::shared_ptr<const Chunk<Entry>>> chunks_;
};

template <typename Entry>
class Chunks {
public:
    // The entry, to be changed.
    Entry& edit(std::uint32_t id) {
        const std::uint32_t number = id / kPerChunk;
        if (number >= own_.size()) {
            own_.resize(number + 1, nullptr);
            newest_.chunks_.resize(number + 1);
        }
        if (own_[number] == nullptr || own_[number]->made_after != version_) {
            make_own(number);
        }
        return own_[number]->entries[id % kPerChunk];
    }
    const Entry* find(std::uint32_t id) const { return newest_.find(id); }
    const ChunkView<Entry>& newest() const { return newest_; }

    // The present entries, for a version. Their chunks are changed no more.
    ChunkView<Entry> freeze() {
        ++version_;
        return newest_;
    }
    void clear() {
        own_.clear();
        newest_ = {};
    }
    std::uint64_t copied() const { return copied_; }  // chunks, ever

private:
    void make_own(std::uint32_t number) {
        auto fresh = std::make_shared<Chunk<Entry>>();
        if (own_[number] != nullptr) {
            fresh->entries = own_[number]->entries;
            ++copied_;
        }
        fresh->made_after = version_;
        own_[number] = fresh.get();
        newest_.chunks_[number] = std::move(fresh);
    }

    ChunkView<Entry> newest_;
    std::vector<Chunk<Entry>*> own_;  // the same chunks; changed only if made after the last version
    std::uint64_t version_ = 0;
    std::uint64_t copied_ = 0;
};

}  // namespace bayplan::read_model
