// See steering.h.
#include "port/steering.h"

#include <algorithm>

namespace bayplan::dataplane {

Steering::Steering(std::size_t lcores, bool one_receives)
    : lcores_(lcores), one_receives_(one_receives), ports_(lcores, nullptr) {
    for (std::size_t i = 0; i < lcores * lcores; ++i) ways_.push_back(std::make_unique<Way>());
}

bool Steering::hand_over(std::size_t from, std::size_t to, const Path& path, std::span<const std::uint8_t> payload) {
    if (payload.size() > kBytesMax) return false;
    Way& way = this->way(from, to);
    if (way.there.room() == 0) return false;
    std::unique_ptr<Datagram> datagram;
    if (!way.back.pop(datagram)) datagram = std::make_unique<Datagram>();
    datagram->path = path;
    datagram->size = payload.size();
    std::copy(payload.begin(), payload.end(), datagram->bytes.begin());
    way.there.push(std::move(datagram));
    way.touched = true;
    return true;
}

std::size_t Steering::take(std::size_t to, DatagramSink& sink) {
    std::size_t taken = 0;
    for (std::size_t from = 0; from < lcores_; ++from) {
        if (from == to) continue;
        Way& way = this->way(from, to);
        std::unique_ptr<Datagram> datagram;
        for (std::size_t i = 0; i < kBurst && way.there.pop(datagram); ++i) {
            sink.on_datagram(datagram->path, {datagram->bytes.data(), datagram->size});
            way.back.push(std::move(datagram));
            ++taken;
        }
    }
    return taken;
}

void Steering::wake(std::size_t from) {
    for (std::size_t to = 0; to < lcores_; ++to) {
        Way& way = this->way(from, to);
        if (!way.touched) continue;
        way.touched = false;
        if (ports_[to] != nullptr) ports_[to]->wake();
    }
}

}  // namespace bayplan::dataplane
