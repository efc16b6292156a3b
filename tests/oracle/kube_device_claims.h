// The claims of a pod, the devices that a node sees, and the search, from rules/claims.md. The search tries every choice in
// order and keeps nothing from node to node.
//
// Thread: any. It borrows the look. Errors: refusal() throws ClaimError where an error ends the attempt (R-CLAIM-19).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kube_predicate.h"
#include "kube_selectors.h"

namespace bayplan::oracle {

struct Chosen {
    Candidate candidate;
    std::size_t claim = 0;
    std::string request;    // of the claim
    std::string full_name;  // with its alternative
    bool admin = false;
    std::int64_t score = 0;
};

struct Solution {
    std::vector<Chosen> chosen;
};

class DeviceClaims {
public:
    explicit DeviceClaims(const KubeLook&);

    const std::string& not_queued() const { return not_queued_; }
    const std::string& missing_class() const { return missing_class_; }
    bool refused() const { return !not_queued_.empty() || !missing_class_.empty(); }
    const std::vector<const KubeResourceClaim*>& allocated() const { return allocated_; }
    const std::vector<const KubeResourceClaim*>& to_allocate() const { return to_allocate_; }

    // The reason; empty: the node will do, and `solution` has its devices.
    std::string refusal(const KubeNode&, Solution&);

    static bool can_use(const KubeResourceClaim&, const KubeNode&);

private:
    struct Pool {
        std::vector<Candidate> devices;
        std::string name;  // DRIVER/POOL
        bool complete = false;
        bool twice = false;  // a name
    };
    // Where the search is.
    struct Place {
        std::size_t claim = 0;
        std::size_t request = 0;
        std::size_t alternative = 0;
        std::int64_t taken = 0;
    };

    void find();
    void pools_of(const KubeNode&);
    void add_pool(const std::vector<const KubeSlice*>&);
    bool needs_nothing(const KubeDeviceRequest&) const;
    void count_all();
    std::int64_t count_all(std::size_t claim, const KubeDemand&);
    std::string shown(std::size_t claim) const;
    bool suits(std::size_t claim, const KubeDemand&, const Candidate&) const;
    bool next_request(std::size_t claim, std::size_t request, Solution&);
    bool next_device(const Place&, Solution&);
    bool all_devices(const Place&, Chosen&, Solution&);
    bool any_device(const Place&, Chosen&, Solution&);
    bool is_free(const Chosen&, const Solution&) const;
    bool constraints_hold(const Chosen&, const Solution&) const;

    const KubeLook& look_;
    const KubeObjects& objects_;
    std::set<std::tuple<std::string, std::string, std::string>> in_use_;
    std::vector<const KubeResourceClaim*> allocated_;
    std::vector<const KubeResourceClaim*> to_allocate_;
    std::string not_queued_;
    std::string missing_class_;
    const KubeNode* node_ = nullptr;  // that is looked at
    std::vector<Pool> pools_;
    std::map<const KubeDemand*, std::vector<Candidate>> all_;  // of mode All: its devices, in order
};

}  // namespace bayplan::oracle
