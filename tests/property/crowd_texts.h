// The dictionary of every shim of a crowd, and the specs that its pods have: what a history of it means.
//
// Thread: plain data. Errors: none.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bayplan/messages.h"

namespace bayplan::property {

enum CrowdText : DictId {
    kCpu = 1,
    kMemory,
    kPods,
    kZone,
    kHostname,
    kEast,
    kWest,
    kSpace,
    kApp,
    kAppA,
    kAppB,
    kAppC,
    kGate,
    kTaint,
    kApplication,
    kBudget,               // and the two behind it
    kGroup = kBudget + 3,  // and the two behind it
    kNode = kGroup + 3     // and those behind it
};
constexpr DictId kNodeNames = 60;
// Where there are queues: applications, each with its queue.
constexpr DictId kQueueNames = 4;
constexpr DictId kOtherApplication = kNode + kNodeNames;
constexpr DictId kQueueName = kOtherApplication + kQueueNames;
constexpr DictId kUserName = kQueueName + kQueueNames;

enum CrowdSpec : SpecNumber {
    kNoSpec,
    kLabelA,
    kLabelB,
    kPortOfA,      // a host port
    kApartOnNode,  // not beside a pod of A on a node
    kApartInZone,  // not beside another of its kind in a zone
    kNearC,        // only where a pod of C is
    kSpreadC,      // evenly over the zones
    kGated,
    kCrowdSpecs
};

std::vector<std::pair<DictId, std::string>> crowd_dictionary();
std::vector<SpecItem> crowd_specs();

}  // namespace bayplan::property
