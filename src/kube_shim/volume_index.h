// The volumes that a claim on storage may get, as the engine chooses among them (src/volumes): a volume that is kept for it, else
// the smallest free volume that suits; of equal ones the first by name, in byte order.
//
// Thread: one. Refers to records of the books, which stay where they are as long as they are in here.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>

#include "bayplan/cluster_object.h"
#include "kube/objects.h"
#include "kube/texts.h"

namespace bayplan::kube_shim {

class VolumeIndex {
public:
    using Taken = boost::unordered_flat_set<Text>;

    explicit VolumeIndex(const kube::Texts& texts) : texts_(texts) {}

    void put(const Volume&);
    // As it was put.
    void take_out(const Volume&);

    // 0: none.
    Text choose(const VolumeClaim&, const kube::ConvertedNode&, const Taken&) const;
    bool reaches(const Volume&, const kube::ConvertedNode&) const;

private:
    using BySize = std::set<std::tuple<std::int64_t, std::string_view, const Volume*>>;

    static bool is_free(const Volume& volume) { return volume.available && !volume.deleting && volume.claim == 0; }
    BySize::value_type place_of(const Volume& volume) const {
        return {volume.bytes, texts_.text(volume.name), &volume};
    }

    const kube::Texts& texts_;
    std::map<Text, BySize> free_;                                                          // by class
    std::map<std::pair<Text, Text>, std::map<std::string_view, const Volume*>> kept_for_;  // by namespace and claim
};

}  // namespace bayplan::kube_shim
