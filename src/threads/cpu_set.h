// A set of CPUs of this host, as lists are written everywhere in Linux: "0-3,5".
//
// Thread: plain data, any. Errors: parse() says what is wrong in words for a person. CPUs are
// numbered 0 .. kCpusMax - 1, the range of glibc's cpu_set_t.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::threads {

inline constexpr std::size_t kCpusMax = 1024;

class CpuSet {
public:
    CpuSet() = default;

    // "0-3,5": numbers and ascending ranges, spaces around them allowed. Nothing on a fault, with
    // the reason in `error`. The empty text is a fault: a set that is meant has a CPU.
    static std::optional<CpuSet> parse(std::string_view text, std::string& error);

    void add(std::size_t cpu) { bits_.set(cpu); }
    bool contains(std::size_t cpu) const { return cpu < kCpusMax && bits_.test(cpu); }
    bool empty() const { return bits_.none(); }
    std::size_t count() const { return bits_.count(); }
    CpuSet without(const CpuSet& other) const { return CpuSet(bits_ & ~other.bits_); }
    CpuSet intersection(const CpuSet& other) const { return CpuSet(bits_ & other.bits_); }
    std::vector<std::size_t> cpus() const;  // ascending

    // The shortest list, as parse() reads it and as the kernel prints Cpus_allowed_list; "" if
    // empty.
    std::string to_string() const;

    bool operator==(const CpuSet&) const = default;

private:
    explicit CpuSet(std::bitset<kCpusMax> bits) : bits_(bits) {}
    std::bitset<kCpusMax> bits_;
};

}  // namespace bayplan::threads
