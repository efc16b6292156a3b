// See awkward_spread.h. Arithmetic: src/engine/rules, scores.
#include "measure/awkward_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayplan::measure {

namespace {

using workload::AwkwardShape;

constexpr std::int64_t kSpreadWeight = 2;
constexpr std::int32_t kServiceHostSkew = 3;
constexpr std::int32_t kServiceZoneSkew = 5;

}  // namespace

AwkwardSpread::AwkwardSpread(const workload::AwkwardLoad& load, const std::vector<std::uint32_t>& number_of)
    : load_(load), applications_(workload::awkward_applications(load)) {
    const bool racks = load.shape == AwkwardShape::racks;
    for (const std::uint32_t node : number_of) {
        host_of_.push_back(workload::awkward_hostname(load, node));
        domain_of_.push_back(racks ? workload::awkward_rack(node) : workload::awkward_zone(load, node));
        domains_ = std::max(domains_, domain_of_.back() + 1);
    }
    std::vector<bool> there(domains_, false);
    for (const std::uint32_t domain : domain_of_) there[domain] = true;
    for (Application& application : applications_) {
        // A number that no node has must not be the emptiest domain.
        for (const bool any : there) application.in_domain.push_back(any ? 0 : std::int64_t{1} << 40);
    }
    skew_ = racks ? workload::kAwkwardRackSkew : workload::kAwkwardZoneSkew;
    here_.assign(load.nodes, 0);
}

void AwkwardSpread::put(std::uint32_t application, std::size_t node) {
    if (mine_ == &applications_[application]) ++here_[host_of_[node]];
    applications_[application].hosts.push_back(host_of_[node]);
    ++applications_[application].in_domain[domain_of_[node]];
}

void AwkwardSpread::begin(std::uint32_t application) {
    if (mine_ != nullptr) {
        for (const std::uint32_t host : mine_->hosts) here_[host] = 0;
    }
    mine_ = &applications_[application];
    for (const std::uint32_t host : mine_->hosts) ++here_[host];
    const bool spreads = load_.shape == AwkwardShape::racks || load_.shape == AwkwardShape::zones ||
                         load_.shape == AwkwardShape::coupled;
    service_ = workload::awkward_has_service(load_, application);
    hard_ = spreads && workload::awkward_spreads_hard(load_, application);
    soft_ = service_ || (spreads && !hard_);
    apart_ = load_.shape == AwkwardShape::hosts || load_.shape == AwkwardShape::coupled;
    least_ = hard_ ? *std::ranges::min_element(mine_->in_domain) : 0;
}

bool AwkwardSpread::allowed(std::size_t node) const {
    return (!apart_ || here_[host_of_[node]] == 0) &&
           (!hard_ || mine_->in_domain[domain_of_[node]] + 1 - least_ <= skew_);
}

double AwkwardSpread::share(double weight, std::int64_t pods, std::int32_t skew) const {
    return static_cast<double>(pods) * weight + static_cast<double>(skew - 1);
}

// Doubles, in the order of the constraints.
std::int64_t AwkwardSpread::raw_of(std::size_t node) const {
    double sum = service_ ? share(host_weight_, here_[host_of_[node]], kServiceHostSkew) : 0;
    sum += share(domain_weight_, mine_->in_domain[domain_of_[node]], service_ ? kServiceZoneSkew : skew_);
    return static_cast<std::int64_t>(std::round(sum));
}

void AwkwardSpread::weigh(const std::vector<std::size_t>& feasible) {
    if (!soft_) return;
    std::vector<bool> seen(domains_, false);
    for (const std::size_t node : feasible) seen[domain_of_[node]] = true;
    const auto domains = static_cast<std::size_t>(std::ranges::count(seen, true));
    host_weight_ = std::log(static_cast<double>(feasible.size() + 2));
    domain_weight_ = std::log(static_cast<double>(domains + 2));
    raw_min_ = std::numeric_limits<std::int64_t>::max();
    raw_max_ = std::numeric_limits<std::int64_t>::min();
    for (const std::size_t node : feasible) {
        raw_min_ = std::min(raw_min_, raw_of(node));
        raw_max_ = std::max(raw_max_, raw_of(node));
    }
}

std::int64_t AwkwardSpread::points(std::size_t node) const {
    if (!soft_) return 0;
    return kSpreadWeight * (raw_max_ == 0 ? 100 : 100 * (raw_max_ + raw_min_ - raw_of(node)) / raw_max_);
}

}  // namespace bayplan::measure
