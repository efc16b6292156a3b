// See tree_builder.h.
#include "kube/tree_builder.h"

#include <span>
#include <utility>

#include "kube/document_reader.h"

namespace bayplan::kube {

namespace {

// Written by the API server for itself, often half of an object.
constexpr std::string_view kNotRead = "managedFields";

}  // namespace

void TreeBuilder::clear() {
    arena_.clear();
    item_arena_.clear();
    root_ = {};
    levels_.clear();
    parts_.clear();
    named_.clear();
    items_ = Items::none;
    list_level_ = kNowhere;
    skip_ = false;
    skip_depth_ = 0;
}

// The part belongs to a value that nobody asks for.
bool TreeBuilder::skipped(int deeper) {
    if (!skip_) return false;
    skip_depth_ += deeper;
    skip_ = skip_depth_ > 0;
    return true;
}

void TreeBuilder::scalar(Value value, std::string_view name) {
    if (skipped(0)) return;
    skip_ = is_name() && value.text() == kNotRead;
    if (skip_) return;
    const Value::Kind kind = value.kind();
    if (kind == Value::Kind::text || kind == Value::Kind::number)
        value = Value::scalar(kind, here().keep(value.text()));
    place(value, name);
}

bool TreeBuilder::alias(std::string_view name) {
    if (skipped(0)) return true;
    const auto found = named_.find(std::string(name));
    if (found == named_.end()) {
        why_ = "nothing before is called &" + std::string(name);
        return false;
    }
    place(found->second, {});
    return true;
}

bool TreeBuilder::open(bool map, std::string_view name) {
    if (levels_.size() + static_cast<std::size_t>(skip_depth_) >= kDepthMax) {
        why_ = "more than " + std::to_string(kDepthMax) + " levels deep";
        return false;
    }
    if (skipped(1)) return true;
    // Of a name whose value is not closed yet (an alias inside of what it names) nothing is known: absent.
    if (!name.empty()) named_[std::string(name)] = {};
    if (!map && items_ == Items::none && is_list_of_document()) {
        items_ = Items::undecided;
        list_level_ = levels_.size();
    }
    levels_.push_back({map, std::string(name), parts_.size()});
    return true;
}

// The list that opens is the document itself, or the items of it.
bool TreeBuilder::is_list_of_document() const {
    if (levels_.empty()) return true;
    return levels_.size() == 1 && levels_[0].map && !is_name() && parts_.back().text() == "items";
}

void TreeBuilder::close() {
    if (skipped(-1)) return;
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.size() == list_level_) list_level_ = kNowhere;
    const std::span<const Value> parts = std::span<const Value>(parts_).subspan(level.first);
    Value value;
    if (level.map) {
        members_.clear();
        for (std::size_t index = 0; index + 1 < parts.size(); index += 2) {
            members_.push_back({parts[index].text(), parts[index + 1]});
        }
        value = Value::object(here().keep(std::span<const Member>(members_)));
    } else {
        value = Value::list(here().keep(parts));
    }
    parts_.resize(level.first);
    place(value, level.name);
}

void TreeBuilder::place(const Value& value, std::string_view name) {
    if (!name.empty()) named_[std::string(name)] = value;
    const bool item = list_level_ != kNowhere && levels_.size() == list_level_ + 1;
    if (levels_.empty()) {
        root_ = value;
    } else if (!item || !give(value)) {
        parts_.push_back(value);
    }
}

bool TreeBuilder::give(const Value& item) {
    if (items_ == Items::undecided) items_ = may_go_out(item) ? Items::handed_out : Items::kept;
    if (items_ != Items::handed_out) return false;
    on_item_(item, list_kind_, item_arena_);
    if (named_.empty()) item_arena_.clear();  // else what has a name may be asked for again
    return true;
}

// Items that name no kind are of the list's, which must be known by now.
bool TreeBuilder::may_go_out(const Value& first) {
    list_kind_.clear();
    for (std::size_t at = 0; list_level_ == 1 && at + 1 < levels_[1].first; at += 2) {
        if (parts_[at].text() == "kind") list_kind_ = parts_[at + 1].text();
    }
    if (list_level_ == 0) return true;
    if (list_kind_.empty()) return first["kind"].present();
    return list_kind_.ends_with("List") && (!item_kind(list_kind_).empty() || first["kind"].present());
}

}  // namespace bayplan::kube
