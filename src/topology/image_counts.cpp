// Counting nodes by image, and scores by list of images; see image_counts.h.
#include "topology/image_counts.h"

#include <algorithm>

#include "topology/image_locality.h"

namespace bayplan {

void ImageCounts::put_in(const NodeFacts* facts) {
    if (facts == nullptr) {
        return;
    }
    ++nodes_;
    ++version_;
    for (const NodeImage& image : facts->images) {
        Image& entry = images_[image.name];
        if (entry.nodes++ == 0) {
            entry.bytes = image.bytes;
        }
    }
}

void ImageCounts::take_out(const NodeFacts* facts) {
    if (facts == nullptr) {
        return;
    }
    --nodes_;
    ++version_;
    for (const NodeImage& image : facts->images) {
        const auto found = images_.find(image.name);
        if (--found->second.nodes == 0) {
            images_.erase(found);
        }
    }
}

void ImageCounts::renew(const NodeFacts& facts) {
    for (const NodeImage& image : facts.images) {
        Image& entry = images_.at(image.name);
        if (entry.nodes == 1 && entry.bytes != image.bytes) {
            entry.bytes = image.bytes;
            ++version_;
        }
    }
}

bool ImageCounts::nowhere(const std::vector<Text>& images) const {
    return std::none_of(images.begin(), images.end(), [&](Text image) { return images_.contains(image); });
}

std::int64_t ImageCounts::score(const std::vector<Text>& images, const NodeFacts& facts) const {
    std::int64_t shares = 0;
    for (const Text image : images) {
        const auto at = std::lower_bound(facts.images.begin(), facts.images.end(), image,
                                         [](const NodeImage& one, Text wanted) { return one.name < wanted; });
        if (at != facts.images.end() && at->name == image) {
            const Image& known = images_.at(image);
            shares += image_share(known.bytes, known.nodes, nodes_);
        }
    }
    return image_locality(shares, static_cast<std::int64_t>(images.size()));
}

const std::vector<std::int32_t>& ImageCounts::scores(const std::vector<Text>& images, const FactsBySlot& all) {
    if (columns_.size() >= kColumnsMax && !columns_.contains(images)) {
        columns_.clear();  // made anew as they are asked for
    }
    Column& column = columns_[images];
    if (column.version != version_) {
        column.version = version_;
        column.scores.assign(all.size(), 0);
        for (std::size_t slot = 0; slot < all.size(); ++slot) {
            if (all[slot]) {
                column.scores[slot] = static_cast<std::int32_t>(score(images, *all[slot]));
            }
        }
    }
    return column.scores;
}

}  // namespace bayplan
