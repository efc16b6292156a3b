// The openb trace: what it becomes, and that every fault names file and line.
#include "workload/openb.h"

#include <gmock/gmock.h>

#include "small_load.h"

namespace bayplan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kNodes[] =
    "sn,cpu_milli,memory_mib,gpu,model\n"
    "node-a,32000,262144,0,\n"
    "node-b,64000,1024,2,T4\n"
    "node-c,32000,262144,0,\n";
constexpr char kPods[] =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n"
    "whole,12000,16384,1,1000,,LS\n"
    "share,6000,12288,1,460,,LS\n"
    "two,6000,12288,2,1000,T4|P100,LS\n"
    "none,6000,12288,0,0,,LS\n";

class Openb : public InDirectory {
protected:
    std::string error_of(const std::string& nodes, const std::string& pods) {
        std::string error;
        EXPECT_FALSE(workload::read_openb(write("nodes.csv", nodes), write("pods.csv", pods), error));
        return error.substr(error.rfind('/') + 1);
    }
};

TEST_F(Openb, becomes_nodes_and_pods_with_their_shapes) {
    std::string error;
    const auto load = workload::read_openb(write("nodes.csv", kNodes), write("pods.csv", kPods), error);
    ASSERT_TRUE(load) << error;
    ASSERT_EQ(load->nodes.size(), 3u);
    EXPECT_EQ(load->nodes[0].shape, load->nodes[2].shape);
    const workload::NodeShape& gpu_node = load->node_shapes[load->nodes[1].shape];
    EXPECT_EQ(gpu_node.instance_type, "T4");
    EXPECT_THAT(gpu_node.capacity, ElementsAre(Pair("cpu", 64'000), Pair("memory", 1'073'741'824), Pair("pods", 110),
                                               Pair("gpu-milli", 2'000)));
    ASSERT_EQ(load->pods.size(), 4u);
    const auto gpu_of = [&](std::size_t pod) {
        const workload::Amounts& amounts = load->pod_shapes[load->pods[pod].shape];
        return amounts.size() == 4 ? amounts[3].second : 0;
    };
    EXPECT_EQ(gpu_of(0), 1'000);
    EXPECT_EQ(gpu_of(1), 460);
    EXPECT_EQ(gpu_of(2), 2'000);
    EXPECT_EQ(gpu_of(3), 0);
    EXPECT_THAT(gpu_node.devices, ElementsAre("gpu-milli"));
    EXPECT_THAT(load->pod_types[load->pods[1].shape], ElementsAre());
    EXPECT_THAT(load->pod_types[load->pods[2].shape], ElementsAre("T4", "P100"));
    EXPECT_THAT(load->notes, ElementsAre(HasSubstr("1 pods ask for a share of one GPU"),
                                         HasSubstr("1 pods name GPU models"), HasSubstr("110 pods each")));
}

TEST_F(Openb, columns_are_found_by_name_in_any_order_and_with_dos_line_ends) {
    std::string error;
    const auto load = workload::read_openb(
        write("nodes.csv", "gpu,memory_mib,cpu_milli,sn\r\n0,1,2,node\r\n\r\n"),
        write("pods.csv", "gpu_milli,num_gpu,memory_mib,cpu_milli,name\r\n0,0,1,2,pod\r\n"), error);
    ASSERT_TRUE(load) << error;
    EXPECT_EQ(load->node_shapes[0].capacity[0], std::pair(std::string("cpu"), std::int64_t{2}));
}

TEST_F(Openb, every_fault_names_file_and_line) {
    const std::string header = "sn,cpu_milli,memory_mib,gpu,model\n";
    const std::string pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
    EXPECT_EQ(error_of("sn,cpu_milli,gpu\n", kPods), "nodes.csv:1: column `memory_mib` is missing");
    EXPECT_EQ(error_of("", kPods), "nodes.csv:1: is empty, a header line is expected");
    EXPECT_EQ(error_of(header, kPods), "nodes.csv: has no rows");
    EXPECT_EQ(error_of(header + "a,1,1,1,\nb,1,1\n", kPods), "nodes.csv:3: 3 fields, the header has 5");
    EXPECT_EQ(error_of(header + "a,-1,1,1,\n", kPods),
              "nodes.csv:2: cpu_milli: `-1` is not a whole number from 0 to 1000000000");
    EXPECT_EQ(error_of(header + "a,1,1.5,1,\n", kPods),
              "nodes.csv:2: memory_mib: `1.5` is not a whole number from 0 to 1000000000");
    EXPECT_EQ(error_of(header + "a,99999999999999999999,1,1,\n", kPods),
              "nodes.csv:2: cpu_milli: `99999999999999999999` is not a whole number from 0 to "
              "1000000000");
    EXPECT_EQ(error_of(header + "a,,1,1,\n", kPods),
              "nodes.csv:2: cpu_milli: `` is not a whole number from 0 to 1000000000");
    EXPECT_EQ(error_of(header + ",1,1,1,\n", kPods), "nodes.csv:2: the name is empty");
    EXPECT_EQ(error_of(header + "a,1,1,1,\na,1,1,1,\n", kPods), "nodes.csv:3: `a` is there twice");
    EXPECT_EQ(error_of(header + "\"a\",1,1,1,\n", kPods), "nodes.csv:2: quoted fields are not known");
    EXPECT_EQ(error_of(kNodes, pods + "p,1,1,1,1001\n"),
              "pods.csv:2: gpu_milli: `1001` is not a whole number from 0 to 1000");
    EXPECT_EQ(error_of(kNodes, pods + "p,1,1,1,0\n"), "pods.csv:2: gpu_milli is 0, yet one GPU is asked for");
}

TEST_F(Openb, a_file_that_is_not_there_is_named) {
    std::string error;
    EXPECT_FALSE(workload::read_openb(directory_ + "/absent.csv", "", error));
    EXPECT_THAT(error, HasSubstr("absent.csv: No such file"));
}

}  // namespace
}  // namespace bayplan::testing
