// See selector_errors.h.
#include "claims/selector_errors.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/seeded_hash.h"
#include "claims/claim_objects.h"

namespace bayplan {

namespace {

// One look at many slices, during which no text changes: devices are told apart by the numbers of what is read of them.
class Look {
public:
    Look(const std::shared_ptr<const DeviceSelector>& selector, const TextTable& texts)
        : selector_(selector), texts_(texts) {}

    bool errs_on(const KeptSlice& slice) {
        if (selector_->selector == nullptr) {
            return !slice.slice.devices.empty();
        }
        for (std::size_t device = 0; device < slice.slice.devices.size(); ++device) {
            if (device > 0 && slice.kinds[device] == slice.kinds[device - 1]) {
                continue;
            }
            if (errs_on(slice, device)) {
                return true;
            }
        }
        return false;
    }

private:
    // A name that is read, as devices of one driver may write it. 0: no device writes it so.
    struct Written {
        bool capacity = false;
        std::array<Text, 2> names{};
    };

    bool errs_on(const KeptSlice& slice, std::size_t device) {
        const auto ask = [&] { return slice.verdicts.of(selector_, slice.slice, device, texts_).error != nullptr; };
        if (selector_->selector->reads().everything) {
            return ask();
        }
        write_key(slice.slice, slice.slice.devices[device]);
        if (key_ == last_key_) {
            return last_;
        }
        const auto [at, fresh] = said_.try_emplace(key_, false);
        if (fresh) {
            at->second = ask();
        }
        last_key_ = key_;
        last_ = at->second;
        return last_;
    }

    void add(std::uint64_t number) { key_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }

    void write_key(const ResourceSlice& slice, const SliceDevice& device) {
        key_.clear();
        add(slice.driver);
        for (const Written& one : written_by(slice.driver)) {
            const auto is_it = [&](const auto& entry) {
                return entry.name != 0 && (entry.name == one.names[0] || entry.name == one.names[1]);
            };
            if (one.capacity) {
                const auto found = std::ranges::find_if(device.capacities, is_it);
                add(found == device.capacities.end() ? 0 : 1);
                add(found == device.capacities.end() ? 0 : found->quantity);
                continue;
            }
            const auto found = std::ranges::find_if(device.attributes, is_it);
            const bool there = found != device.attributes.end();
            add(there ? static_cast<std::uint64_t>(found->type) : 0);
            add(there ? found->text : 0);
            add(there ? static_cast<std::uint64_t>(found->number) : 0);
        }
    }

    const std::vector<Written>& written_by(Text driver) {
        const auto [at, fresh] = by_driver_.try_emplace(driver);
        if (fresh) {
            for (const cel::DeviceReads::Name& name : selector_->selector->reads().names) {
                at->second.push_back(written(name, texts_.text(driver)));
            }
        }
        return at->second;
    }

    Written written(const cel::DeviceReads::Name& name, std::string_view driver) const {
        constexpr char kSlash = '/';
        Written out{name.capacity, {}};
        if (name.domain.find(kSlash) == std::string::npos) {
            out.names[0] = number_of(name.domain + kSlash + name.id);
        }
        if (name.domain == driver && name.id.find(kSlash) == std::string::npos) {
            out.names[1] = number_of(name.id);
        }
        return out;
    }

    Text number_of(const std::string& text) const {
        const Text found = texts_.find(text);
        return found == kNone<Text> ? 0 : found;
    }

    const std::shared_ptr<const DeviceSelector>& selector_;
    const TextTable& texts_;
    boost::unordered_flat_map<Text, std::vector<Written>> by_driver_;
    boost::unordered_flat_map<std::string, bool, TextHash, std::equal_to<>> said_;
    std::string key_;
    std::string last_key_;
    bool last_ = false;
};

}  // namespace

void SelectorErrors::changed(Text slice) {
    if (changes_.size() >= kChangesMost) {
        first_ += changes_.size();
        changes_.clear();
    }
    changes_.push_back(slice);
}

bool SelectorErrors::any(const std::shared_ptr<const DeviceSelector>& selector, const SliceTable& slices) {
    if (kept_.size() >= kSelectorsMost && !kept_.contains(selector.get())) {
        kept_.clear();
    }
    OfSelector& of = kept_[selector.get()];
    const std::uint64_t end = first_ + changes_.size();
    if (of.selector != nullptr && of.position == end) {
        return !of.erring.empty();
    }
    Look look(selector, texts_);
    const auto look_at = [&](Text name, const KeptSlice& slice) {
        if (look.errs_on(slice)) {
            of.erring.insert(name);
        }
    };
    if (of.selector == nullptr || of.position < first_) {
        of.selector = selector;
        of.erring.clear();
        for (const auto& [name, slice] : slices) {
            look_at(name, *slice);
        }
    } else {
        for (std::size_t at = of.position - first_; at < changes_.size(); ++at) {
            of.erring.erase(changes_[at]);
            if (const auto found = slices.find(changes_[at]); found != slices.end()) {
                look_at(found->first, *found->second);
            }
        }
    }
    of.position = end;
    return !of.erring.empty();
}

}  // namespace bayplan
