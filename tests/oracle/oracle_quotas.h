// Queues that shrink to their maxima in the oracle, literally: rules/quotas.md.
//
// Thread and errors: see oracle.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oracle.h"
#include "oracle_guarantees.h"

namespace bayplan::oracle {

class QuotaRules {
public:
    explicit QuotaRules(Oracle& oracle) : oracle_(oracle), queues_(oracle) {}

    // At the end of an input.
    void settle();
    static std::int64_t next_time(const Oracle&);

private:
    using Resources = queue_config::Resources;
    using Pods = std::vector<const KubePod*>;

    bool is_watched(const std::string& path) const;
    static std::int64_t delay_of(const GuaranteeRules&, const std::string& path);
    static std::int64_t due(const GuaranteeRules&, const std::string& path, const OracleQueues::Clock&);
    Resources runs(const std::string& path, const Pods& without) const;
    Resources excess_of(const std::string& path, const Pods& without) const;
    Resources part_of(const Ask&, const Resources& over) const;
    bool is_candidate(const Ask&, const std::string& path, const Resources& over) const;
    bool queues_can_spare(const Ask&, const std::string& path, const Resources& over, const Pods& let_in) const;
    Pods candidates_for(const std::string& path, const Resources& over) const;
    Pods let_in_for(const std::string& path, const Resources& over);
    void let_gangs_in(const std::string& path, const Resources& over, const Pods& candidates, Pods& let_in);
    Pods members_on_nodes(const std::string& gang) const;
    std::vector<std::string> gangs_of(const Pods& candidates) const;
    Pods without_spared_gangs(const std::string& path, const Resources& over, Pods going);
    bool is_needed(const Pods&, const std::string& path, const Resources& over, const Pods& going) const;
    std::map<const KubePod*, bool> violating_among(const Pods& let_in) const;
    Pods victims_of(const std::string& path);
    bool shrink(const std::string& path);
    void check(const std::string& path, const Pods& victims);

    Oracle& oracle_;
    const GuaranteeRules queues_;
    std::map<const KubePod*, std::string> whole_;  // let in with their gangs, of the queue that shrinks
};

}  // namespace bayplan::oracle
