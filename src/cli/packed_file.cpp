// See packed_file.h.
#include "cli/packed_file.h"

#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace bayplan::cli {

enum class Packing { none, gzip, zstd };

namespace {

Packing packing_of(std::string_view path) {
    if (path.ends_with(".gz")) return Packing::gzip;
    return path.ends_with(".zst") ? Packing::zstd : Packing::none;
}

}  // namespace

struct PackedFile::Parts {
    std::string path;
    Packing packing;
    std::FILE* file = nullptr;
    z_stream gzip = {};
    ZSTD_CStream* zstd = nullptr;
    std::vector<char> packed = std::vector<char>(1 << 17);
    bool sound = true;

    std::string beside() const { return path + ".new"; }

    void put(std::size_t bytes) { sound = sound && std::fwrite(packed.data(), 1, bytes, file) == bytes; }

    void pack_by_gzip(std::string_view text, int flush) {
        gzip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        gzip.avail_in = static_cast<uInt>(text.size());
        do {
            gzip.next_out = reinterpret_cast<Bytef*>(packed.data());
            gzip.avail_out = static_cast<uInt>(packed.size());
            sound = sound && deflate(&gzip, flush) != Z_STREAM_ERROR;
            put(packed.size() - gzip.avail_out);
        } while (sound && gzip.avail_out == 0);
    }

    void pack_by_zstd(std::string_view text, ZSTD_EndDirective directive) {
        ZSTD_inBuffer in{text.data(), text.size(), 0};
        std::size_t left = 1;
        while (sound && (directive == ZSTD_e_end ? left != 0 : in.pos < in.size)) {
            ZSTD_outBuffer out{packed.data(), packed.size(), 0};
            left = ZSTD_compressStream2(zstd, &out, &in, directive);
            sound = ZSTD_isError(left) == 0;
            put(out.pos);
        }
    }

    void pack(std::string_view text, bool last) {
        switch (packing) {
            case Packing::none: sound = sound && std::fwrite(text.data(), 1, text.size(), file) == text.size(); break;
            case Packing::gzip: pack_by_gzip(text, last ? Z_FINISH : Z_NO_FLUSH); break;
            case Packing::zstd: pack_by_zstd(text, last ? ZSTD_e_end : ZSTD_e_continue); break;
        }
    }
};

PackedFile::PackedFile(const std::string& path, std::string& fault) : parts_(std::make_unique<Parts>()) {
    parts_->path = path;
    parts_->packing = packing_of(path);
    parts_->file = std::fopen(parts_->beside().c_str(), "wb");
    if (parts_->file == nullptr) fault = path + ": cannot be written: " + std::strerror(errno);
    if (parts_->packing == Packing::gzip) deflateInit2(&parts_->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    if (parts_->packing == Packing::zstd) parts_->zstd = ZSTD_createCStream();
}

PackedFile::~PackedFile() {
    if (parts_->packing == Packing::gzip) deflateEnd(&parts_->gzip);
    ZSTD_freeCStream(parts_->zstd);
    if (parts_->file == nullptr) return;
    std::fclose(parts_->file);
    std::remove(parts_->beside().c_str());
}

bool PackedFile::write(std::string_view text) {
    if (!text.empty()) parts_->pack(text, false);
    return parts_->sound;
}

bool PackedFile::end() {
    parts_->pack({}, true);
    const bool closed = std::fclose(parts_->file) == 0;
    parts_->file = nullptr;
    if (parts_->sound && closed) return std::rename(parts_->beside().c_str(), parts_->path.c_str()) == 0;
    std::remove(parts_->beside().c_str());
    return false;
}

}  // namespace bayplan::cli
