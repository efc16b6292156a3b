// A document becomes a tree part by part, as a parser of either syntax comes to them: lists and maps that open and close, scalars
// in between. An item of the list that a document is goes out when it ends, so that a long list is never held whole.
//
// Thread: one. Owns the values until `clear`, and the values of an item that went out until the next part.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/value.h"

namespace bayplan::kube {

class TreeBuilder {
public:
    static constexpr std::size_t kDepthMax = 100;  // Kubernetes' own objects have about 20 levels

    // An item of the list that the document is, and the kind that the list has named before it.
    using OnItem = std::function<void(const Value&, std::string_view list_kind, Arena&)>;
    explicit TreeBuilder(OnItem on_item) : on_item_(std::move(on_item)) {}

    // --- parts in their order; `name`: by which an alias calls it, empty: none. False: `why` says why.
    bool open(bool map, std::string_view name = {});
    void close();
    // Of a map every second one is a name. A text or a number is copied.
    void scalar(Value, std::string_view name = {});
    bool alias(std::string_view name);

    const std::string& why() const { return why_; }
    Arena& arena() { return arena_; }
    const Value& root() const { return root_; }
    // The items of the document went out one by one, and nothing is left to hand out.
    bool items_are_out() const { return items_ == Items::handed_out; }

    // For the next document.
    void clear();

private:
    struct Level {
        bool map = false;
        std::string name;       // empty: none
        std::size_t first = 0;  // of its parts (of a map: name, value, name, value...) in parts_
    };
    // Of the document's list: there is none yet; the first will decide; each goes out as it ends; all wait for the end.
    enum class Items { none, undecided, handed_out, kept };
    static constexpr std::size_t kNowhere = ~std::size_t{0};

    // Parts of an item go with it.
    Arena& here() { return list_level_ == kNowhere ? arena_ : item_arena_; }
    bool is_name() const {
        return !levels_.empty() && levels_.back().map && (parts_.size() - levels_.back().first) % 2 == 0;
    }
    bool is_list_of_document() const;
    bool skipped(int deeper);
    void place(const Value&, std::string_view name);
    bool give(const Value& item);
    bool may_go_out(const Value& first);

    OnItem on_item_;
    std::string why_;
    Arena arena_;
    Arena item_arena_;
    Value root_;
    std::vector<Level> levels_;
    std::vector<Value> parts_;
    std::vector<Member> members_;  // of the map that ends
    std::unordered_map<std::string, Value> named_;
    Items items_ = Items::none;
    std::size_t list_level_ = kNowhere;  // of the document's list in levels_, while it is open
    std::string list_kind_;
    bool skip_ = false;  // the value that comes, or is open, is not read
    int skip_depth_ = 0;
};

}  // namespace bayplan::kube
