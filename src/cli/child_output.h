// The standard output of a program that is run, as a source of text.
//
// Thread: main. Owns the process until it has ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kube/text_source.h"

namespace bayplan::cli {

class ChildOutput : public kube::TextSource {
public:
    // The program is looked for in PATH; its standard error is ours.
    ChildOutput(const std::vector<std::string>& command, std::string& fault);
    ~ChildOutput() override;
    ChildOutput(const ChildOutput&) = delete;
    ChildOutput& operator=(const ChildOutput&) = delete;

    std::size_t read(char* to, std::size_t size, std::string& why) override;
    std::uint64_t position() const override { return read_; }

    // Waits for its end. 0: it went well.
    int status();

private:
    pid_t process_ = -1;
    int output_ = -1;
    std::uint64_t read_ = 0;
};

}  // namespace bayplan::cli
