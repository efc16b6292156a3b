// Worlds of a share of the histories, with content that the others have not: rare shapes of specs and objects, times of today,
// amounts at the limit, many shims, and a world in which devices, volumes, claims, budgets and nominations meet. Histories of
// other seeds, and all in which shims serve plugins, stay as they are without.
//
// Thread: one. The same seed gives the same content. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history.h"
#include "random.h"
#include "random_kube.h"

namespace bayplan::property {

constexpr std::int64_t kToday = 1'763'000'000;  // s since 1970
constexpr std::int64_t kLargestAmount = std::int64_t{1} << 53;

// Of these shims serve plugins.
bool is_plugin_world(std::uint64_t seed);

class OddWorld {
public:
    explicit OddWorld(std::uint64_t seed);

    bool has_odd_shapes() const { return shapes_ || together_; }
    bool is_of_today() const { return today_; }
    bool has_many_shims() const { return many_shims_; }
    bool is_at_the_limit() const { return limits_; }
    bool has_all_together() const { return together_; }

    // Settings. It draws nothing from what decides the others.
    void change(EngineOptions&) const;
    // A spec is the same each time that it is stated: `seed` is its own.
    void change(PodSpec&, std::uint64_t seed, const IdOf&) const;
    void change(ObjectItem&, const IdOf&, const std::vector<std::string>& nodes);
    void change(oracle::OwnedNode&, const IdOf&);
    void change(oracle::OwnedAsk&);  // stated for the first time
    // Budgets of all applications' pods, where all is to meet.
    std::vector<ObjectItem> first_objects(const IdOf&);
    // Whether an ask of a world where all is to meet has a nomination.
    bool nominates() { return together_ && random_.chance(30); }

    // Texts of that content beside kube_texts().
    static const std::vector<std::string>& texts();

private:
    ClusterObject changed(PodSet, const IdOf&);
    ClusterObject changed(PodBudget, const IdOf&);
    ClusterObject changed(VolumeClaim, const IdOf&);
    ClusterObject changed(Volume, const IdOf&, const std::vector<std::string>& nodes);
    ClusterObject changed(StorageClass, const IdOf&);

    Random random_;
    bool shapes_ = false;
    bool today_ = false;
    bool many_shims_ = false;
    bool limits_ = false;
    bool together_ = false;
};

}  // namespace bayplan::property
