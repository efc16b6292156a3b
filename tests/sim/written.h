// Returns a report's output as a text.
//
// Thread: the test's. Owns the stream.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace bayplan::sim {

class Written {
public:
    Written() : out_(open_memstream(&data_, &size_)) {}
    ~Written() {
        std::fclose(out_);
        std::free(data_);
    }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    std::FILE* out() { return out_; }
    std::string text() {
        std::fflush(out_);
        return {data_, size_};
    }

private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::FILE* out_;
};

}  // namespace bayplan::sim
