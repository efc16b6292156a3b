// The text for a pod that no node takes, in Kubernetes' words: `0/5 nodes are available: 2 Insufficient cpu,
// 3 node(s) were unschedulable.` Source: Kubernetes 1.35, FitError (without what preemption adds).
//
// Thread: one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bayplan {

class FailureMessage {
public:
    // A node's reasons; each counts.
    void add(const std::vector<std::string>& reasons) {
        for (const std::string& reason : reasons) {
            ++counts_[reason];
        }
    }
    void add(const std::string& reason, std::uint64_t nodes) {
        if (nodes > 0) {
            counts_[reason] += nodes;
        }
    }
    // Reasons about the pod as a whole take the place of the counts.
    void set_whole(const std::vector<std::string>& reasons) { whole_ = reasons; }

    std::string text(std::uint64_t nodes) const {
        if (nodes == 0) {
            return "no nodes available to schedule pods";
        }
        // Kubernetes sorts the parts as strings, numbers included: "10 x" before "2 y".
        std::set<std::string> parts;
        for (const auto& [reason, count] : counts_) {
            parts.insert(std::to_string(count) + " " + reason);
        }
        std::string text = "0/" + std::to_string(nodes) + " nodes are available: ";
        const char* separator = "";
        const auto append = [&](const std::string& part) {
            text += separator + part;
            separator = ", ";
        };
        if (!whole_.empty()) {
            for (const std::string& part : whole_) {
                append(part);
            }
        } else {
            for (const std::string& part : parts) {
                append(part);
            }
        }
        return text + '.';
    }

private:
    std::map<std::string, std::uint64_t> counts_;
    std::vector<std::string> whole_;
};

}  // namespace bayplan
