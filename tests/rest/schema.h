// The objects of YuniKorn's REST interface as a table, and a checker that holds an answer against it.
//
// A field is NAME:TYPE, in the order in which it is sent. `?` after the type: an empty value is left out; all other fields
// are always there. Types: s text, i integer, u integer of no sign, f number, b truth, R amounts by resource, M texts by
// name, N amounts by instance type and resource, [T] a list of T; else the name of a row. Source: YuniKorn 1.9, webservice/dao.
//
// Thread: the test's.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace bayplan::rest::testing {

struct Row {
    std::string_view name;
    std::string_view fields;
};

inline constexpr std::array kSchema = {
    Row{"Cluster", "startTime:i? rmBuildInformation:[M]? partition:s clusterName:s"},
    Row{"Capacity", "capacity:R? usedCapacity:R? utilization:R?"},
    Row{"NodeSorting", "type:s? resourceWeights:F?"},
    Row{"Partition",
        "clusterId:s name:s capacity:Capacity nodeSortingPolicy:NodeSorting preemptionEnabled:b "
        "quotaPreemptionEnabled:b totalNodes:u? applications:C? totalContainers:u? state:s? "
        "lastStateTransitionTime:i?"},
    Row{"Template", "maxApplications:u? maxResource:R? guaranteedResource:R? properties:M?"},
    Row{"Queue",
        "queuename:s status:s? partition:s pendingResource:R? maxResource:R? guaranteedResource:R? "
        "allocatedResource:R? preemptingResource:R? headroom:R? isLeaf:b isManaged:b properties:M? parent:s? "
        "template:Template? children:[Queue]? childNames:[s]? absUsedCapacity:R? maxRunningApps:u? runningApps:u? "
        "currentPriority:i allocatingAcceptedApps:[s]? sortingPolicy:s? prioritySorting:b preemptionEnabled:b "
        "isPreemptionFence:b preemptionDelay:s? quotaPreemptionDelay:s? isPriorityFence:b priorityOffset:i?"},
    Row{"LogEntry", "message:s? lastOccurrence:i? count:i?"},
    Row{"Ask",
        "allocationKey:s allocationTags:M? requestTime:i? resource:R? priority:s? requiredNodeId:s? applicationId:s? "
        "placeholder:b? taskGroupName:s? allocationLog:[LogEntry]? triggeredPreemption:b? originator:b? "
        "schedulingAttempted:b? triggeredScaleUp:b?"},
    Row{"Alloc",
        "allocationKey:s allocationTags:M? requestTime:i? allocationTime:i? allocationDelay:i? resource:R? priority:s? "
        "nodeId:s? applicationId:s? placeholder:b? placeholderUsed:b? taskGroupName:s? preempted:b? originator:b?"},
    Row{"ForeignAlloc",
        "allocationKey:s allocationTags:M? allocationTime:i? resource:R? priority:s? nodeId:s? preemptable:b?"},
    Row{"StateEntry", "time:i? applicationState:s?"},
    Row{"Placeholders", "taskGroupName:s? count:i? minResource:R? replaced:i? timedout:i?"},
    Row{"ResourceHistory", "resourceUsage:N? preemptedResource:N? placeholderResource:N?"},
    Row{"App",
        "applicationID:s usedResource:R? maxUsedResource:R? pendingResource:R? partition:s queueName:s "
        "submissionTime:i? finishedTime:i? requests:[Ask]? allocations:[Alloc]? applicationState:s? user:s? "
        "groups:[s]? rejectedMessage:s? stateLog:[StateEntry]? placeholderData:[Placeholders]? hasReserved:b? "
        "reservations:[s]? maxRequestPriority:i? startTime:i? resourceHistory:ResourceHistory backoffDeadline:s?"},
    Row{"Node",
        "nodeID:s hostName:s? rackName:s? attributes:M? capacity:R? allocated:R? occupied:R? available:R? utilized:R? "
        "allocations:[Alloc]? foreignAllocations:[ForeignAlloc]? schedulable:b isReserved:b reservations:[s]?"},
    Row{"Bucket", "bucketName:s? numOfNodes:i? nodeNames:[s]?"},
    Row{"Utilization", "type:s? utilization:[Bucket]?"},
    Row{"NodesUtil", "clusterId:s partition:s utilizations:[Utilization]?"},
    Row{"Filter", "type:s userList:[s]? groupList:[s]? userExp:s? groupExp:s?"},
    Row{"Rule", "name:s parameters:M? filter:Filter? parentRule:Rule?"},
    Row{"Usage",
        "queuePath:s resourceUsage:R? runningApplications:[s]? maxResources:R? maxApplications:u? children:[Usage]?"},
    Row{"UserUsage", "userName:s groups:M? queues:Usage?"},
    Row{"GroupUsage", "groupName:s applications:[s]? queues:Usage?"},
    Row{"EventBatch", "InstanceUUID:s LowestID:u HighestID:u EventRecords:[Event]"},
    Row{"Event",
        "type:i? objectID:s? message:s? timestampNano:i? eventChangeType:i? eventChangeDetail:i? referenceID:s? "
        "resource:EventAmounts?"},
    Row{"HealthCheck", "Name:s? Succeeded:b Description:s? DiagnosisMessage:s?"},
    Row{"Health", "Healthy:b HealthChecks:[HealthCheck]?"},
    Row{"AppsHistory", "timestamp:i? totalApplications:s?"},
    Row{"ContainersHistory", "timestamp:i? totalContainers:s?"},
    Row{"ValidateConf", "allowed:b reason:s?"},
    Row{"Error", "status_code:i message:s? description:s?"},
};

// Collects faults of answers, each as PATH: FAULT, and the fields of the table that were seen.
class SchemaCheck {
public:
    void check(const std::string& path, const boost::json::value& value, std::string_view type) {
        using Kind = boost::json::kind;
        if (type.front() == '[') {
            if (!value.is_array()) return fault(path, "is no list");
            for (const boost::json::value& one : value.as_array()) {
                check(path + "[]", one, type.substr(1, type.size() - 2));
            }
        } else if (type == "s" || type == "b") {
            if (value.kind() != (type == "s" ? Kind::string : Kind::bool_)) fault(path, "has another type");
        } else if (type == "i" || type == "u") {
            const bool fits = value.is_uint64() || (value.is_int64() && (type == "i" || value.as_int64() >= 0));
            if (!fits) fault(path, "is no such integer");
        } else if (type == "f") {
            if (!value.is_number()) fault(path, "is no number");
        } else if (const std::size_t of = kMaps.find(type); type.size() == 1 && of != std::string_view::npos) {
            check_map(path, value, std::string_view("isfiR").substr(of, 1));
        } else if (type == "EventAmounts") {
            check_event_amounts(path, value);
        } else {
            check_object(path, value, type);
        }
    }

    const std::vector<std::string>& faults() const { return faults_; }
    // TYPE.FIELD of fields of the table that no answer had.
    std::vector<std::string> unseen() const {
        std::vector<std::string> all;
        for (const Row& row : kSchema) {
            for (const Field& field : fields_of(row)) {
                const std::string name = std::string(row.name) + "." + std::string(field.name);
                if (std::ranges::find(seen_, name) == seen_.end()) all.push_back(name);
            }
        }
        return all;
    }

private:
    // Maps of integers, texts, numbers, counts, and of amounts once more.
    static constexpr std::string_view kMaps = "RMFCN";

    struct Field {
        std::string_view name, type;
        bool omits_empty = false;
    };

    static std::vector<Field> fields_of(const Row& row) {
        std::vector<Field> fields;
        for (std::string_view rest = row.fields; !rest.empty();) {
            std::string_view word = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(rest.size(), word.size() + 1));
            const bool omits_empty = word.ends_with('?');
            if (omits_empty) word.remove_suffix(1);
            fields.push_back({word.substr(0, word.find(':')), word.substr(word.find(':') + 1), omits_empty});
        }
        return fields;
    }

    void fault(const std::string& path, std::string_view what) { faults_.push_back(path + ": " + std::string(what)); }

    void check_map(const std::string& path, const boost::json::value& value, std::string_view type) {
        if (!value.is_object()) return fault(path, "is no object");
        for (const auto& [name, one] : value.as_object()) check(path + "." + std::string(name), one, type);
    }

    // {"resources":{NAME:{"value":N}}}; no amounts: {}; an amount of nothing: {}.
    void check_event_amounts(const std::string& path, const boost::json::value& value) {
        if (!value.is_object()) return fault(path, "is no object");
        for (const auto& [name, amounts] : value.as_object()) {
            if (name != "resources" || !amounts.is_object()) return fault(path, "has another field");
            for (const auto& [resource, amount] : amounts.as_object()) check_map(path, amount, "i");
        }
    }

    static bool empty(const boost::json::value& value) {
        return (value.is_string() && value.as_string().empty()) || (value.is_array() && value.as_array().empty()) ||
               (value.is_object() && value.as_object().empty()) || (value.is_bool() && !value.as_bool()) ||
               (value.is_number() && value.to_number<double>() == 0) || value.is_null();
    }

    void check_object(const std::string& path, const boost::json::value& value, std::string_view type) {
        const auto row = std::ranges::find(kSchema, type, &Row::name);
        if (row == kSchema.end()) return fault(path, "has a type that the table has not: " + std::string(type));
        if (!value.is_object()) return fault(path, "is no object");
        auto sent = value.as_object().begin();
        for (const Field& field : fields_of(*row)) {
            const std::string at = path + "." + std::string(field.name);
            if (sent == value.as_object().end() || sent->key() != field.name) {
                if (!field.omits_empty) fault(at, "is not there");
                continue;
            }
            // A resource of an event is left out only where YuniKorn has none at all.
            if (field.omits_empty && empty(sent->value()) && field.type != "EventAmounts") fault(at, "is empty");
            check(at, sent->value(), field.type);
            seen_.push_back(std::string(type) + "." + std::string(field.name));
            ++sent;
        }
        if (sent != value.as_object().end())
            fault(path + "." + std::string(sent->key()), "is unknown, or out of order");
    }

    std::vector<std::string> faults_;
    std::vector<std::string> seen_;
};

}  // namespace bayplan::rest::testing
