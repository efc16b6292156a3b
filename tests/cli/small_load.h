// A load small enough to be followed by hand, and files that go with the test.
//
// Thread: the test's.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "workload/workload.h"

namespace bayplan::testing {

// Two nodes of 1,000 cpu, four pods of 400.
inline workload::Workload small_load() {
    workload::Workload load;
    load.name = "small";
    load.node_shapes = {{"", {{"cpu", 1'000}, {"pods", 110}}}};
    load.pod_shapes = {{{"cpu", 400}, {"pods", 1}}};
    load.nodes = {{"n0", 0}, {"n1", 0}};
    load.pods = {{"p0", 0}, {"p1", 0}, {"p2", 0}, {"p3", 0}};
    return load;
}

class InDirectory : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-cli-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = directory_ + "/" + name;
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

    std::string directory_;
};

}  // namespace bayplan::testing
