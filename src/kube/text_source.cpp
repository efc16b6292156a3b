// See text_source.h. The only user of zlib and zstd here.
#include "kube/text_source.h"

#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace bayplan::kube {

namespace {

constexpr std::size_t kPacked = 1 << 18;  // bytes of a file at a time
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";

// The file's own bytes; the bytes that were looked at to know its format come first.
class Bytes {
public:
    explicit Bytes(std::FILE* file) : file_(file) { ahead_.resize(std::fread(ahead_.data(), 1, 4, file_)); }
    ~Bytes() {
        if (file_ != stdin) std::fclose(file_);
    }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    bool begins_with(std::string_view magic) const { return std::string_view(ahead_).starts_with(magic); }

    std::size_t read(char* to, std::size_t size, std::string& why) {
        std::size_t got = std::min(size, ahead_.size());
        std::memcpy(to, ahead_.data(), got);
        ahead_.erase(0, got);
        got += got == 0 ? std::fread(to, 1, size, file_) : 0;
        if (got == 0 && std::ferror(file_) != 0) why = std::strerror(errno);
        read_ += got;
        return got;
    }
    std::uint64_t position() const { return read_; }

private:
    std::FILE* file_;
    std::string ahead_ = std::string(4, '\0');
    std::uint64_t read_ = 0;
};

class Plain : public TextSource {
public:
    explicit Plain(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)) {}
    std::size_t read(char* to, std::size_t size, std::string& why) override { return bytes_->read(to, size, why); }
    std::uint64_t position() const override { return bytes_->position(); }

private:
    std::unique_ptr<Bytes> bytes_;
};

// Of several members, one behind the other, too.
class Gzip : public TextSource {
public:
    explicit Gzip(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)), in_(kPacked) {
        inflateInit2(&stream_, 15 + 16);  // the largest window; a gzip header
    }
    ~Gzip() override { inflateEnd(&stream_); }

    std::size_t read(char* to, std::size_t size, std::string& why) override {
        stream_.next_out = reinterpret_cast<Bytef*>(to);
        stream_.avail_out = static_cast<uInt>(size);
        while (stream_.avail_out == size) {
            if (stream_.avail_in == 0 && !refill(why)) return 0;
            const int state = inflate(&stream_, Z_NO_FLUSH);
            ended_ = state == Z_STREAM_END;
            if (ended_) inflateReset(&stream_);
            if (state != Z_OK && !ended_ && state != Z_BUF_ERROR) {
                why = "is not what gzip packs: " + std::string(stream_.msg == nullptr ? "broken" : stream_.msg);
                return 0;
            }
        }
        return size - stream_.avail_out;
    }
    std::uint64_t position() const override { return bytes_->position(); }

private:
    bool refill(std::string& why) {
        const std::size_t got = bytes_->read(in_.data(), in_.size(), why);
        stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
        stream_.avail_in = static_cast<uInt>(got);
        if (got == 0 && why.empty() && !ended_) why = "ends in the middle of what gzip packed";
        return got > 0;
    }

    std::unique_ptr<Bytes> bytes_;
    std::vector<char> in_;
    z_stream stream_ = {};
    bool ended_ = false;
};

class Zstd : public TextSource {
public:
    explicit Zstd(std::unique_ptr<Bytes> bytes)
        : bytes_(std::move(bytes)), in_(kPacked), stream_(ZSTD_createDStream()) {}
    ~Zstd() override { ZSTD_freeDStream(stream_); }
    Zstd(const Zstd&) = delete;
    Zstd& operator=(const Zstd&) = delete;

    std::size_t read(char* to, std::size_t size, std::string& why) override {
        ZSTD_outBuffer out{to, size, 0};
        while (out.pos == 0) {
            if (packed_.pos == packed_.size) {
                packed_ = {in_.data(), bytes_->read(in_.data(), in_.size(), why), 0};
                if (packed_.size == 0) {
                    if (why.empty() && left_ != 0) why = "ends in the middle of what zstd packed";
                    return 0;
                }
            }
            left_ = ZSTD_decompressStream(stream_, &out, &packed_);
            if (ZSTD_isError(left_) != 0) {
                why = "is not what zstd packs: " + std::string(ZSTD_getErrorName(left_));
                return 0;
            }
        }
        return out.pos;
    }
    std::uint64_t position() const override { return bytes_->position(); }

private:
    std::unique_ptr<Bytes> bytes_;
    std::vector<char> in_;
    ZSTD_DStream* stream_;
    ZSTD_inBuffer packed_ = {nullptr, 0, 0};
    std::size_t left_ = 0;  // 0: a frame has ended
};

}  // namespace

std::unique_ptr<TextSource> open_source(const std::string& path, std::string& why) {
    std::FILE* const file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
    if (file == nullptr) {
        why = std::string("cannot be read: ") + std::strerror(errno);
        return nullptr;
    }
    auto bytes = std::make_unique<Bytes>(file);
    if (bytes->begins_with(kGzip)) return std::make_unique<Gzip>(std::move(bytes));
    if (bytes->begins_with(kZstd)) return std::make_unique<Zstd>(std::move(bytes));
    return std::make_unique<Plain>(std::move(bytes));
}

}  // namespace bayplan::kube
