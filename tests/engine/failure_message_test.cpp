// The words for a pod that no node takes.

#include "engine/failure_message.h"

#include <gtest/gtest.h>

namespace bayplan {
namespace {

TEST(FailureMessage, parts_are_sorted_as_strings) {
    FailureMessage message;
    for (int node = 0; node < 12; ++node) {
        message.add({"Insufficient cpu"});
    }
    message.add({"node(s) were unschedulable"});
    message.add({"Too many pods", "Insufficient memory"});
    message.add({"Too many pods"});
    EXPECT_EQ(message.text(15),
              "0/15 nodes are available: 1 Insufficient memory, 1 node(s) were unschedulable, 12 Insufficient cpu, "
              "2 Too many pods.");
}

TEST(FailureMessage, what_is_said_of_the_pod_takes_the_place_of_counts) {
    FailureMessage message;
    message.add({"Insufficient cpu"});
    message.set_whole({"persistentvolumeclaim \"data\" not found"});
    EXPECT_EQ(message.text(3), "0/3 nodes are available: persistentvolumeclaim \"data\" not found.");
    EXPECT_EQ(message.text(0), "no nodes available to schedule pods");
}

}  // namespace
}  // namespace bayplan
