#include "apps/spec_table.h"

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/container_hash/hash.hpp>
#include <boost/pfr.hpp>

#include "base/visit_texts.h"

namespace bayplan {

namespace {

// Every field that the comparison looks at, sizes of lists too: specs that only the comparison told apart would make
// each other's look-ups longer, as many as a shim cares to send.
struct Hasher {
    std::size_t hash = 0;

    template <typename Value>
    void add(const Value& value) {
        if constexpr (std::is_class_v<Value>) {
            boost::pfr::for_each_field(value, [this](const auto& field) { add(field); });
        } else {
            boost::hash_combine(hash, value);
        }
    }
    template <typename Value>
    void add(const std::vector<Value>& list) {
        boost::hash_combine(hash, list.size());
        for (const Value& item : list) {
            add(item);
        }
    }
    template <typename Value>
    void add(const std::optional<Value>& value) {
        boost::hash_combine(hash, value.has_value());
        if (value) {
            add(*value);
        }
    }
};

}  // namespace

std::size_t SpecTable::Hash::operator()(const PodSpec* spec) const {
    Hasher hasher;
    hasher.add(*spec);
    return hasher.hash;
}

SpecTable::SpecTable(TextTable& texts) : texts_(texts) {
    entries_.emplace_back().references = 1;
    ids_.emplace(&entries_[0].spec, kEmptySpec);
}

SpecId SpecTable::acquire(PodSpec&& spec) {
    if (const auto found = ids_.find(&spec); found != ids_.end()) {
        ++entries_[raw(found->second)].references;
        return found->second;
    }
    SpecId id;
    if (free_.empty()) {
        entries_.emplace_back();
        id = static_cast<SpecId>(entries_.size() - 1);
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Entry& entry = entries_[raw(id)];
    entry.spec = std::move(spec);
    entry.references = 1;
    visit_texts(entry.spec, [&](Text text) { texts_.add_reference(text); });
    ids_.emplace(&entry.spec, id);
    if (listener_ != nullptr) {
        listener_->spec_added(id);
    }
    return id;
}

void SpecTable::release(SpecId id) {
    Entry& entry = entries_[raw(id)];
    BP_CHECK_OP(entry.references, >, 0u);
    if (--entry.references > 0) {
        return;
    }
    BP_CHECK(entry.pods.empty());
    if (listener_ != nullptr) {
        listener_->spec_going(id);
    }
    ids_.erase(&entry.spec);
    visit_texts(entry.spec, [&](Text text) { texts_.release(text); });
    entry = Entry{};
    free_.push_back(id);
}

}  // namespace bayplan
