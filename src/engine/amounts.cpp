// The part of Inputs that looks things up in a shim's dictionary: amounts, tags, texts, applications.

#include <algorithm>

#include "engine/byte_counts.h"
#include "engine/inputs.h"
#include "engine/statement_limits.h"

namespace bayplan {

namespace {

std::string fault_of(std::int64_t value, const std::string& resource) {
    if (value < 0) {
        return "negative amount of " + resource;
    }
    if (value > kAmountMax) {
        return "amount of " + resource + " is too large";
    }
    return {};
}

}  // namespace

std::string Inputs::read_amounts(Shim& shim, std::span<const Amount> amounts, bool keep_zeros) {
    amounts_.clear();
    requested_cpu_ = requested_memory_ = -1;
    for (const Amount& amount : amounts) {
        Dictionary::Entry* entry = shim.dictionary.find(amount.resource);
        if (entry == nullptr) {
            return "unknown dictionary id #" + std::to_string(amount.resource);
        }
        if (amount.value < 0 || amount.value > kAmountMax) {
            return fault_of(amount.value, entry->text);
        }
        if (entry->resource == kNone<ResourceId> && !may_name(shim, entry->text)) {
            return "more than " + std::to_string(kKindsOfShimMax) + " kinds of resources";
        }
        const ResourceId resource = shim.dictionary.resource(*entry);
        for (const ResourceAmount& before : amounts_) {
            if (before.resource == resource) {
                return entry->text + " is given twice";
            }
        }
        amounts_.push_back({resource, amount.value});
        requested_cpu_ = resource == kCpu ? amount.value : requested_cpu_;
        requested_memory_ = resource == kMemory ? amount.value : requested_memory_;
    }
    if (!keep_zeros) {
        std::erase_if(amounts_, [](const ResourceAmount& amount) { return amount.value == 0; });
    }
    const auto before = [](const ResourceAmount& a, const ResourceAmount& b) {
        return raw(a.resource) < raw(b.resource);
    };
    if (!std::is_sorted(amounts_.begin(), amounts_.end(), before)) {
        std::sort(amounts_.begin(), amounts_.end(), before);
    }
    return {};
}

// R-LIMIT-27. Kinds are never forgotten: others may have taken them over.
bool Inputs::may_name(Shim& shim, std::string_view kind) {
    if (kind == "cpu" || kind == "memory" || world_.kinds.contains(kind)) {
        return true;
    }
    if (shim.kinds >= kKindsOfShimMax || world_.kinds.size() >= kKindsMax) {
        return false;
    }
    ++shim.kinds;
    world_.kinds.emplace(kind);
    return true;
}

std::string Inputs::read_tags(Shim& shim, std::span<const Attribute> tags) {
    tags_.clear();
    tag_bytes_ = 0;
    if (!world_.options.allocation_tags) {
        return {};
    }
    if (tags.size() > kTagsMax) {
        return "a list of more than " + std::to_string(kTagsMax) + " entries";
    }
    for (const Attribute& tag : tags) {
        const std::string_view key = text_of(shim, tag.key);
        const std::string_view value = text_of(shim, tag.value);
        if (key.empty() || (tag.value != 0 && value.empty())) {
            return "unknown dictionary id";
        }
        tags_.emplace_back(key, value);
        tag_bytes_ += tag_bytes(key, value);
    }
    return {};
}

void Inputs::take_tags(AskId id) {
    TagTable& tags = world_.asks.tags();
    tags.begin();
    for (const auto& [key, value] : tags_) {
        tags.add(key, value);
    }
    tags.keep(id);
}

std::string Inputs::bytes_fault(const Shim& shim, std::uint64_t more, std::uint64_t less) const {
    const std::uint64_t most = world_.bytes.most_of(shim.bytes);
    return more <= less || shim.bytes + more - less <= most ? "" : "more than " + std::to_string(most) + " bytes";
}

std::string_view Inputs::text_of(Shim& shim, DictId id) {
    const Dictionary::Entry* entry = shim.dictionary.find(id);
    return entry == nullptr ? std::string_view{} : std::string_view(entry->text);
}

ApplicationId Inputs::application_of(Shim& shim, DictId id) {
    Dictionary::Entry* entry = shim.dictionary.find(id);
    if (entry == nullptr) {
        return kNone<ApplicationId>;
    }
    if (world_.applications.alive(entry->application)) {
        return entry->application.id;
    }
    const auto found = shim.applications.find(entry->text);
    if (found == shim.applications.end()) {
        return kNone<ApplicationId>;
    }
    entry->application = world_.applications.handle(found->second);
    return found->second;
}

}  // namespace bayplan
