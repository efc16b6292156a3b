// Files of /proc and /sys, below a directory that stands for the root of the host: "/" itself, or a directory that a
// test or a support bundle has filled.
//
// Thread: any; holds nothing but the path. Errors: a value that cannot be had comes with the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::host {

// A value, or why it is not known.
template <class T>
struct Known {
    std::optional<T> value;
    bool absent = false;  // the host has no such thing; otherwise it is there and may not be read
    std::string why;

    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const { return *value; }
    const T* operator->() const { return &*value; }

    // The same reason for a value of another kind.
    template <class U>
    Known<U> reason() const {
        return {std::nullopt, absent, why};
    }
};

class HostFiles {
public:
    explicit HostFiles(std::string root = "/");

    // Paths are absolute on the host: "/proc/meminfo". The text is without white space at its ends.
    Known<std::string> read(const std::string& path) const;
    Known<std::int64_t> number(const std::string& path) const;
    bool exists(const std::string& path) const;
    // Names in a directory, sorted; none if it cannot be read.
    std::vector<std::string> list(const std::string& path) const;
    // The last part of what a link points to; "" if it is none.
    std::string link_name(const std::string& path) const;
    // Into a file that is there. False: the kernel's reason in `error`.
    bool write(const std::string& path, std::string_view text, std::string& error) const;

    const std::string& root() const { return root_; }
    std::string full(const std::string& path) const;

private:
    std::string root_;  // without a slash at its end; "" is "/"
};

std::string trimmed(std::string_view);
// The parts between separators, empty ones left out.
std::vector<std::string> split(std::string_view, char separator);
// Of "always [madvise] never" the word in brackets, else the whole text.
std::string chosen(std::string_view);

}  // namespace bayplan::host
