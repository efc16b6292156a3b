// Counting nodes by image, and scores by list of images; see image_counts.h.
#include "topology/image_counts.h"

#include <algorithm>
#include <span>
#include <utility>

#include "topology/image_locality.h"

namespace bayplan {

void ImageCounts::comes(Slot slot, const NodeImage& image) {
    Image& entry = images_[image.name];
    if (entry.nodes.empty()) {
        entry.bytes = image.bytes;
    }
    entry.nodes.add(slot);
    entry.changed = ++changes_;
}

// As if it went and came.
void ImageCounts::stays(const NodeImage& image) {
    Image& entry = images_.at(image.name);
    if (entry.nodes.size() == 1 && entry.bytes != image.bytes) {
        entry.bytes = image.bytes;
        entry.changed = ++changes_;
    }
}

void ImageCounts::goes(Slot slot, const NodeImage& image) {
    const auto found = images_.find(image.name);
    found->second.nodes.remove(slot);
    found->second.changed = ++changes_;
    if (found->second.nodes.empty()) {
        images_.erase(found);
        ++gone_;
    }
}

void ImageCounts::change(Slot slot, const NodeFacts* before, const NodeFacts* after) {
    nodes_ += after != nullptr ? 1 : 0;
    nodes_ -= before != nullptr ? 1 : 0;
    const std::span<const NodeImage> none;
    std::span<const NodeImage> old_ones = before != nullptr ? std::span(before->images) : none;
    std::span<const NodeImage> new_ones = after != nullptr ? std::span(after->images) : none;
    while (!old_ones.empty() || !new_ones.empty()) {
        const bool old_first = new_ones.empty() || (!old_ones.empty() && old_ones[0].name <= new_ones[0].name);
        const bool both = old_first && !new_ones.empty() && old_ones[0].name == new_ones[0].name;
        if (both) {
            stays(new_ones[0]);
        } else if (old_first) {
            goes(slot, old_ones[0]);
        } else {
            comes(slot, new_ones[0]);
        }
        old_ones = old_ones.subspan(old_first ? 1 : 0);
        new_ones = new_ones.subspan(both || !old_first ? 1 : 0);
    }
}

ImageCounts::Version ImageCounts::version(const std::vector<Text>& images) const {
    Version version{0, gone_, nodes_};
    for (const Text image : images) {
        if (const auto found = images_.find(image); found != images_.end()) {
            version.changed = std::max(version.changed, found->second.changed);
        }
    }
    return version;
}

bool ImageCounts::nowhere(const std::vector<Text>& images) const {
    return std::none_of(images.begin(), images.end(), [&](Text image) { return images_.contains(image); });
}

void ImageCounts::make(Column& column, const std::vector<Text>& images, std::size_t slots) {
    column.scores.assign(slots, 0);
    shares_.resize(std::max(shares_.size(), slots), 0);
    const auto each = [&](auto&& act) {
        for (const Text image : images) {
            if (const auto found = images_.find(image); found != images_.end()) {
                act(found->second);
            }
        }
    };
    each([&](const Image& image) {
        const std::int64_t share = image_share(image.bytes, image.nodes.size(), nodes_);
        image.nodes.for_each([&](Slot slot) { shares_[raw(slot)] += share; });
        looks_ += image.nodes.size();
    });
    const auto containers = static_cast<std::int64_t>(images.size());
    each([&](const Image& image) {
        image.nodes.for_each([&](Slot slot) {
            if (const std::int64_t shares = std::exchange(shares_[raw(slot)], 0); shares != 0) {
                column.scores[raw(slot)] = static_cast<std::int32_t>(image_locality(shares, containers));
            }
        });
    });
}

const std::vector<std::int32_t>& ImageCounts::scores(const std::vector<Text>& images, const FactsBySlot& all) {
    const std::size_t columns_max = std::max(kColumnsMin, kColumnBytesMax / (sizeof(std::int32_t) * (all.size() + 1)));
    const auto [at, fresh] = columns_.try_emplace(images);
    if (fresh) {
        in_order_.push_back(at);
    }
    while (columns_.size() > columns_max) {
        columns_.erase(in_order_.front());
        in_order_.pop_front();
    }
    Column& column = at->second;
    if (const Version now = version(images); column.version != now || column.scores.size() != all.size()) {
        make(column, images, all.size());
        column.version = now;
    }
    return column.scores;
}

}  // namespace bayplan
