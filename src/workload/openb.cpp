// See openb.h.
#include "workload/openb.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "workload/bytes.h"
#include "workload/csv.h"

namespace bayplan::workload {

namespace {

constexpr std::int64_t kPodsPerNode = 110;
constexpr std::int64_t kGpuMilli = 1'000;
// Products below stay under the engine's limit of 2^53 for one amount.
constexpr std::int64_t kCpuMilliMax = 1'000'000'000;
constexpr std::int64_t kMemoryMibMax = 1'000'000'000;
constexpr std::int64_t kGpusMax = 1'000;

// Index of the value in `all`, appended if new.
template <typename Key, typename Value>
std::uint32_t shape_of(std::map<Key, std::uint32_t>& known, std::vector<Value>& all, const Key& key,
                       const Value& value) {
    const auto [place, added] = known.try_emplace(key, static_cast<std::uint32_t>(all.size()));
    if (added) {
        all.push_back(value);
    }
    return place->second;
}

// A name must be there and must be new.
bool take_name(CsvReader& csv, std::set<std::string>& names, std::string& name) {
    name = csv.text(0);
    if (name.empty()) {
        csv.fail("the name is empty");
        return false;
    }
    if (!names.insert(name).second) {
        csv.fail(fmt::format("`{}` is there twice", name));
        return false;
    }
    return true;
}

bool read_nodes(const std::string& path, Workload& load, std::string& error) {
    CsvReader csv(path, {"sn", "cpu_milli", "memory_mib", "gpu", "model?"});
    std::map<std::pair<std::string, Amounts>, std::uint32_t> shapes;
    std::set<std::string> names;
    std::string name;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    std::int64_t gpus = 0;
    while (csv.next()) {
        if (!take_name(csv, names, name) || !csv.number(1, kCpuMilliMax, cpu) ||
            !csv.number(2, kMemoryMibMax, memory) || !csv.number(3, kGpusMax, gpus)) {
            break;
        }
        NodeShape shape{std::string(csv.text(4)), {{"cpu", cpu}, {"memory", memory * kMi}, {"pods", kPodsPerNode}}};
        if (gpus > 0) {
            shape.capacity.emplace_back("gpu-milli", gpus * kGpuMilli);
            shape.devices = {"gpu-milli"};
        }
        const auto key = std::pair(shape.instance_type, shape.capacity);
        load.nodes.push_back({name, shape_of(shapes, load.node_shapes, key, shape)});
    }
    error = csv.error();
    return error.empty();
}

// Reads the pod's request of `gpu-milli`; false with the fault set if the two columns contradict
// each other.
bool gpu_share(CsvReader& csv, std::int64_t& gpu_milli, bool& fractional) {
    std::int64_t gpus = 0;
    std::int64_t share = 0;
    if (!csv.number(3, kGpusMax, gpus) || !csv.number(4, kGpuMilli, share)) {
        return false;
    }
    fractional = gpus == 1 && share < kGpuMilli;
    if (fractional && share == 0) {
        csv.fail("gpu_milli is 0, yet one GPU is asked for");
        return false;
    }
    gpu_milli = fractional ? share : gpus * kGpuMilli;
    return true;
}

// `G2|P100` as a list.
std::vector<std::string> models_of(std::string_view spec) {
    std::vector<std::string> models;
    while (!spec.empty()) {
        const std::size_t end = std::min(spec.find('|'), spec.size());
        if (end > 0) {
            models.emplace_back(spec.substr(0, end));
        }
        spec.remove_prefix(std::min(end + 1, spec.size()));
    }
    return models;
}

bool read_pods(const std::string& path, Workload& load, std::string& error) {
    CsvReader csv(path, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec?"});
    using Shape = std::pair<Amounts, std::vector<std::string>>;
    std::map<Shape, std::uint32_t> shapes;
    std::vector<Shape> all;
    std::set<std::string> names;
    std::string name;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    std::int64_t gpu_milli = 0;
    bool fractional = false;
    std::size_t fractional_count = 0;
    std::size_t typed_count = 0;
    while (csv.next()) {
        if (!take_name(csv, names, name) || !csv.number(1, kCpuMilliMax, cpu) ||
            !csv.number(2, kMemoryMibMax, memory) || !gpu_share(csv, gpu_milli, fractional)) {
            break;
        }
        Amounts amounts{{"cpu", cpu}, {"memory", memory * kMi}, {"pods", 1}};
        if (gpu_milli > 0) {
            amounts.emplace_back("gpu-milli", gpu_milli);
        }
        fractional_count += fractional ? 1 : 0;
        const Shape shape{amounts, models_of(csv.text(5))};
        typed_count += shape.second.empty() ? 0 : 1;
        load.pods.push_back({name, shape_of(shapes, all, shape, shape)});
    }
    for (const Shape& shape : all) {
        load.pod_shapes.push_back(shape.first);
        load.pod_types.push_back(shape.second);
    }
    if (fractional_count > 0) {
        load.notes.push_back(
            fmt::format("{} pods ask for a share of one GPU (gpu-milli is devices)", fractional_count));
    }
    if (typed_count > 0) {
        load.notes.push_back(fmt::format("{} pods name GPU models (gpu_spec)", typed_count));
    }
    error = csv.error();
    return error.empty();
}

}  // namespace

std::optional<Workload> read_openb(const std::string& nodes_path, const std::string& pods_path, std::string& error) {
    Workload load;
    load.name = "openb " + nodes_path + " " + pods_path;
    if (!read_nodes(nodes_path, load, error) || !read_pods(pods_path, load, error)) {
        return std::nullopt;
    }
    if (load.nodes.empty() || load.pods.empty()) {
        error = (load.nodes.empty() ? nodes_path : pods_path) + ": has no rows";
        return std::nullopt;
    }
    load.notes.push_back(fmt::format("nodes take {} pods each (Kubernetes' default)", kPodsPerNode));
    return load;
}

}  // namespace bayplan::workload
