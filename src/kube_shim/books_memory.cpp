// Lets go of all that no record names: applications and specs without pods, texts of nothing. See books.h.
//
// Marked and swept when there are twice as many as were in use at the last look: so memory stays within a factor of what there
// is, and each look is paid for by as many new ones. Nothing is under way then, so a number that is free can be used anew.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/visit_texts.h"
#include "kube_shim/books.h"

namespace bayplan::kube_shim {

namespace {

constexpr std::size_t kForgottenAtOnce = 1'000;

// Texts that records name.
class Marks {
public:
    explicit Marks(std::size_t largest) : used_(largest + 1) {}

    void mark(Text id) { used_[id] = true; }
    void mark(const std::vector<Amount>& amounts) {
        for (const Amount& one : amounts) {
            mark(one.resource);
        }
    }
    void mark(const std::vector<Attribute>& attributes) {
        for (const Attribute& one : attributes) {
            mark(one.key);
            mark(one.value);
        }
    }
    void mark(const kube::ConvertedNode& node) {
        mark(node.name);
        mark(node.capacity);
        mark(node.attributes);
        mark(node.images);
        for (const Taint& taint : node.taints) {
            mark(taint.key);
            mark(taint.value);
        }
        std::ranges::for_each(node.devices, [this](Text kind) { mark(kind); });
    }
    void mark(const BookedPod& pod) {
        const AskItem& ask = pod.common->ask;
        const ApplicationItem& application = pod.common->application;
        for (const Text one : {ask.application, ask.group, ask.required_node, ask.group_topology_key, pod.node,
                               pod.said_nomination, pod.nominated_node, pod.assumed_node}) {
            mark(one);
        }
        mark(pod.common->requests);
        mark(application.application);
        mark(application.queue);
        mark(application.user);
        std::ranges::for_each(application.user_groups, [this](Text group) { mark(group); });
        for (const Attribute& tag : application.tags) {
            mark(tag.key);
            mark(tag.value);
        }
    }
    template <typename Record>
    void mark_all(const Record& record) {
        visit_texts(record, [this](const Text& id) { mark(id); });
    }

    std::vector<bool> take() { return std::move(used_); }

private:
    std::vector<bool> used_;
};

template <typename Number, typename Forget>
bool in_pieces(const std::vector<Number>& numbers, Forget forget) {
    for (std::size_t at = 0; at < numbers.size(); at += kForgottenAtOnce) {
        const std::size_t count = std::min(kForgottenAtOnce, numbers.size() - at);
        if (!forget(std::span(numbers).subspan(at, count))) {
            return false;
        }
    }
    return true;
}

}  // namespace

void Books::forget_unused(const Send& send) {
    const bool texts = converter_.texts().in_use() >= texts_look_at_;
    const bool specs = converter_.specs().in_use() >= specs_look_at_;
    if ((!texts && !specs) || restating_ != 0 || !queue_.empty() || !held_.empty() || !lists_.empty()) {
        return;
    }
    // Texts last: the others are named by them.
    if (forget_applications(send) && forget_specs(send) && forget_texts(send)) {
        texts_look_at_ = std::max(kTextsKept, 2 * converter_.texts().in_use());
        specs_look_at_ = std::max(kSpecsKept, 2 * converter_.specs().in_use());
    }
}

bool Books::forget_applications(const Send& send) {
    boost::unordered_flat_set<Text> used;
    std::size_t walked = 0;
    for (const auto& [key, pod] : pods_) {
        pause(walked);
        used.insert(pod.common->application.application);
    }
    std::vector<Text> gone;
    std::ranges::copy_if(applications_, std::back_inserter(gone), [&](Text one) { return !used.contains(one); });
    return in_pieces(gone, [&](std::span<const Text> piece) {
        if (!send(ApplicationsMessage{.add = {}, .remove = piece})) {
            return false;
        }
        std::ranges::for_each(piece, [this](Text one) { applications_.erase(one); });
        return true;
    });
}

std::vector<bool> Books::specs_in_use() const {
    std::vector<bool> used(converter_.specs().records().size() + 1);
    std::size_t walked = 0;
    for (const auto& [key, pod] : pods_) {
        pause(walked);
        used[pod.spec] = true;
        used[pod.stated_spec] = true;
    }
    return used;
}

bool Books::forget_specs(const Send& send) {
    const std::vector<bool> used = specs_in_use();
    std::vector<SpecNumber> gone;
    for (const SpecItem& record : converter_.specs().records()) {
        if (record.number != 0 && !used[record.number]) {
            gone.push_back(record.number);
        }
    }
    rules_.forget_unused(used);
    return in_pieces(gone, [&](std::span<const SpecNumber> piece) {
        if (!send(SpecsMessage{.define = {}, .forget = piece})) {
            return false;
        }
        std::ranges::for_each(piece, [this](SpecNumber one) { converter_.specs().forget(one); });
        return true;
    });
}

std::vector<bool> Books::texts_in_use() const {
    Marks marks(converter_.texts().size());
    for (const auto& [name, node] : nodes_) {
        marks.mark(node.made);
    }
    for (const auto& [name, object] : objects_) {
        marks.mark_all(object.made);
    }
    std::size_t walked = 0;
    for (const auto& [key, pod] : pods_) {
        pause(walked);
        marks.mark(pod);
    }
    for (const SpecItem& record : converter_.specs().records()) {
        marks.mark_all(record.spec);
    }
    rules_.visit_texts([&](Text id) { marks.mark(id); });
    converter_.quotas().visit_texts([&](Text id) { marks.mark(id); });
    if (const kube::ExtendedResources* const extended = converter_.extended()) {
        extended->visit_texts([&](Text id) { marks.mark(id); });
    }
    std::ranges::for_each(taken_volumes_, [&](Text volume) { marks.mark(volume); });
    std::ranges::for_each(applications_, [&](Text application) { marks.mark(application); });
    for (const Attribute& tag : foreign_tag_) {
        marks.mark(tag.key);
        marks.mark(tag.value);
    }
    return marks.take();
}

bool Books::forget_texts(const Send& send) {
    const std::vector<bool> used = texts_in_use();
    std::vector<Text> gone;
    for (Text id = 1; id < used.size(); ++id) {
        if (!used[id] && !converter_.texts().is_free(id)) {
            gone.push_back(id);
        }
    }
    return in_pieces(gone, [&](std::span<const Text> piece) {
        if (!send(ForgetMessage{piece})) {
            return false;
        }
        std::ranges::for_each(piece, [this](Text one) { converter_.texts().forget(one); });
        return true;
    });
}

}  // namespace bayplan::kube_shim
