// See preparer.h.
#include "kube_shim/preparer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube_shim/answer_object.h"

namespace bayplan::kube_shim {

namespace {

constexpr int kNotFound = 404;

// As Kubernetes ends names that it makes up.
std::string random_letters(Random& random) {
    constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
    std::uniform_int_distribution<std::size_t> pick(0, kLetters.size() - 1);
    std::string made;
    for (int count = 0; count < 5; ++count) {
        made += kLetters[pick(random)];
    }
    return made;
}

}  // namespace

void Preparer::prepare(const PodName& pod, std::string node, ClaimSteps steps, std::chrono::seconds time) {
    const auto work = std::make_shared<Work>();
    work->pod = pod;
    work->node = std::move(node);
    work->time = time;
    work->deadline = Clock::now() + time;
    for (StorageStep& step : steps.storage) {
        Task& task = work->tasks.emplace_back();
        task.of_storage = true;
        task.storage = std::move(step);
    }
    for (DeviceStep& step : steps.devices) {
        work->tasks.emplace_back().devices = std::move(step);
    }
    works_[pod.uid] = work;
    for (std::size_t i = 0; i < work->tasks.size(); ++i) {
        begin(work, i);
    }
}

void Preparer::forget(const std::string& uid) {
    works_.erase(uid);
    reserved_claims_.erase(uid);
    made_claims_.erase(uid);
}

void Preparer::undo(const PodName& pod) {
    works_.erase(pod.uid);
    take_back(pod);
}

void Preparer::take_back(const PodName& pod) {
    if (const auto made = made_claims_.find(pod.uid); made != made_claims_.end()) {
        std::ranges::for_each(made->second, [&](const std::string& claim) { removals_.remove(claim, pod.uid); });
        made_claims_.erase(made);
    }
    const auto claims = reserved_claims_.find(pod.uid);
    if (claims == reserved_claims_.end()) {
        return;
    }
    for (const std::string& claim : claims->second) {
        // If this fails it stays: the pod's next attempt finds it, or the claim's controller when the pod is gone.
        requests_.submit(RequestKind::status, unreserve_claim(claim, pod), [](HttpAnswer&&) {});
    }
    reserved_claims_.erase(claims);
}

bool Preparer::is_current(const Shared& work) const {
    const auto found = works_.find(work->pod.uid);
    return found != works_.end() && found->second == work;
}

void Preparer::begin(const Shared& work, std::size_t task) {
    const Task& one = work->tasks[task];
    if (one.of_storage) {
        send(work, task, get_storage_claim(one.storage.claim),
             [this, work, task](HttpAnswer&& answer) { take_storage_claim(work, task, answer); });
    } else if (one.devices.claim.empty()) {
        make_claim(work, task);
    } else if (returns_.under_way(one.devices.claim)) {
        begin_later(work, task, kLookEvery);
    } else {
        send(work, task, get_resource_claim(one.devices.claim),
             [this, work, task](HttpAnswer&& answer) { take_made_claim(work, task, std::move(answer)); });
    }
}

void Preparer::begin_later(const Shared& work, std::size_t task, std::chrono::milliseconds wait) {
    timers_.after(wait, [this, work, task] {
        if (is_current(work)) {
            begin(work, task);
        }
    });
}

void Preparer::send(const Shared& work, std::size_t task, HttpRequest request, Take take) {
    requests_.submit(RequestKind::binding, std::move(request), [this, work, task, take](HttpAnswer&& answer) {
        if (!is_current(work)) {
            return;
        }
        DeviceStep& step = work->tasks[task].devices;
        if (answer.ok()) {
            take(std::move(answer));
        } else if (may_pass_later(answer)) {
            again(work, task, refusal_of(answer));
        } else if (answer.status == kNotFound && step.makes) {
            step.claim.clear();  // it was not made, or is gone
            again(work, task, refusal_of(answer));
        } else {
            fail(work, refusal_of(answer));
        }
    });
}

void Preparer::again(const Shared& work, std::size_t task, const std::string& why) {
    Task& one = work->tasks[task];
    if (++one.tries >= kTriesMax) {
        fail(work, why);
        return;
    }
    begin_later(work, task, one.backoff.next(random_));
}

void Preparer::finish(const Shared& work, std::size_t task, Phase phase) {
    work->tasks[task].phase = phase;
    const auto in = [&](Phase wanted) {
        return std::ranges::any_of(work->tasks, [&](const Task& one) { return one.phase == wanted; });
    };
    if (in(Phase::waiting) && !std::exchange(work->looking, true)) {
        look_at_storage(work);
    } else if (!in(Phase::working) && !in(Phase::waiting)) {
        works_.erase(work->pod.uid);
        on_prepared_(work->pod, work->node);
    }
}

void Preparer::fail(const Shared& work, const std::string& why) {
    works_.erase(work->pod.uid);
    take_back(work->pod);
    on_failed_(work->pod, why);
}

// --- storage

void Preparer::take_storage_claim(const Shared& work, std::size_t task, const HttpAnswer& answer) {
    const StorageStep& step = work->tasks[task].storage;
    const std::optional<StorageClaimRead> claim = read_storage_claim(answer);
    const auto written = [this, work, task](HttpAnswer&&) { finish(work, task, Phase::waiting); };
    if (!claim) {
        again(work, task, "the claim cannot be read");
    } else if (!claim->volume.empty() || (step.volume.empty() && claim->selected_node == work->node)) {
        finish(work, task, Phase::waiting);  // written before, or by somebody else: the books say what comes of it
    } else if (step.volume.empty()) {
        send(work, task, select_node(step.claim, *claim, work->node), written);
    } else {
        send(work, task, get_volume(step.volume),
             [this, work, task, claim = *claim](HttpAnswer&& read) { take_volume(work, task, claim, read); });
    }
}

void Preparer::take_volume(const Shared& work, std::size_t task, const StorageClaimRead& claim,
                           const HttpAnswer& answer) {
    const StorageStep& step = work->tasks[task].storage;
    const std::optional<VolumeRead> volume = read_volume(answer);
    if (!volume) {
        again(work, task, "the volume cannot be read");
    } else if (volume->claim == step.claim && volume->claim_uid == claim.uid) {
        finish(work, task, Phase::waiting);
    } else if (!volume->claim.empty() && (volume->claim != step.claim || !volume->claim_uid.empty())) {
        fail(work, fmt::format("volume {} is another claim's", step.volume));
    } else {
        send(work, task, give_volume(step.volume, *volume, step.claim, claim),
             [this, work, task](HttpAnswer&&) { finish(work, task, Phase::waiting); });
    }
}

void Preparer::look_at_storage(const Shared& work) {
    if (!is_current(work)) {
        return;
    }
    for (Task& task : work->tasks) {
        if (task.phase != Phase::waiting) {
            continue;
        }
        const StorageState state = look_(task.storage, work->node);
        if (state.kind == StorageState::lost || (state.kind == StorageState::unmarked && task.marked)) {
            // A provisioner that cannot make a volume there takes the node's name away.
            fail(work, state.why.empty() ? fmt::format("claim {} is not being bound any more", task.storage.claim)
                                         : state.why);
            return;
        }
        task.marked = task.marked || state.kind == StorageState::marked;
        task.phase = state.kind == StorageState::bound ? Phase::done : Phase::waiting;
    }
    const auto left = std::ranges::find_if(work->tasks, [](const Task& one) { return one.phase == Phase::waiting; });
    if (left == work->tasks.end()) {
        work->looking = false;
        finish(work, 0, work->tasks.front().phase);
    } else if (Clock::now() >= work->deadline) {
        fail(work, fmt::format("claim {} was not bound within {} s", left->storage.claim, work->time.count()));
    } else {
        timers_.after(kLookEvery, [this, work] { look_at_storage(work); });
    }
}

// --- devices

void Preparer::take_resource_claim(const Shared& work, std::size_t task, HttpAnswer&& answer) {
    Task& one = work->tasks[task];
    const std::optional<ResourceClaimRead> claim = read_resource_claim(answer, one.devices, work->pod);
    if (!claim) {
        again(work, task, "the resource claim cannot be read");
        return;
    }
    one.body = std::move(answer.body);
    const bool gives = !one.devices.devices.empty() || !claim->has_requests;
    if (claim->reserved && claim->allocated) {
        reserved(work, task);
    } else if (claim->deleting) {
        fail(work, fmt::format("resource claim {} is being deleted", one.devices.claim));
    } else if (claim->allocated && !one.devices.devices.empty()) {
        fail(work, fmt::format("resource claim {} was allocated by somebody else", one.devices.claim));
    } else if (claim->allocated) {
        reserve(work, task, {});
    } else if (!gives) {
        // Another pod was placed with it before, and its allocation is under way.
        if (Clock::now() >= work->deadline) {
            fail(work,
                 fmt::format("resource claim {} was not allocated within {} s", one.devices.claim, work->time.count()));
            return;
        }
        begin_later(work, task, kLookEvery);
    } else if (!claim->has_finalizer) {
        send(work, task, add_finalizer(one.body, one.devices), [this, work, task](HttpAnswer&&) { begin(work, task); });
    } else {
        reserve(work, task, claim->classes);
    }
}

// With the classes' configurations, which are read one by one.
void Preparer::reserve(const Shared& work, std::size_t task, const std::vector<std::string>& classes) {
    Task& one = work->tasks[task];
    for (const std::string& name : classes) {
        if (!one.classes.contains(name)) {
            send(work, task, get_device_class(name), [this, work, task, classes, name](HttpAnswer&& answer) {
                work->tasks[task].classes[name] = std::move(answer.body);
                reserve(work, task, classes);
            });
            return;
        }
    }
    send(work, task, reserve_claim(one.body, one.devices, work->pod, one.classes),
         [this, work, task](HttpAnswer&&) { reserved(work, task); });
}

void Preparer::reserved(const Shared& work, std::size_t task) {
    const DeviceStep& step = work->tasks[task].devices;
    if (!step.makes) {
        reserved_claims_[work->pod.uid].push_back(step.claim);
        finish(work, task, Phase::done);
        return;
    }
    send(work, task, tell_pod_of_claim(work->pod, step.claim, *step.makes),
         [this, work, task](HttpAnswer&&) { finish(work, task, Phase::done); });
}

// --- devices for extended resources

void Preparer::make_claim(const Shared& work, std::size_t task) {
    DeviceStep& step = work->tasks[task].devices;
    for (const std::string& claim : std::exchange(step.makes->former, {})) {
        removals_.remove(claim, work->pod.uid);
    }
    if (removals_.under_way_of(work->pod.uid)) {
        begin_later(work, task, kLookEvery);
        return;
    }
    const std::string claim = name_of_claim_for(work->pod, random_letters(random_));
    made_claims_[work->pod.uid].push_back(claim);
    step.claim = claim;
    requests_.submit(RequestKind::binding, create_claim(claim, work->pod, *step.makes),
                     [this, work, task](HttpAnswer&& answer) {
                         if (!is_current(work)) {
                             return;
                         }
                         if (answer.ok()) {
                             take_made_claim(work, task, std::move(answer));
                         } else if (may_pass_later(answer)) {
                             again(work, task, refusal_of(answer));  // it may be there: it is read
                         } else {
                             fail(work, refusal_of(answer));
                         }
                     });
}

// Its name may be another claim's.
void Preparer::take_made_claim(const Shared& work, std::size_t task, HttpAnswer&& answer) {
    DeviceStep& step = work->tasks[task].devices;
    if (step.makes) {
        const std::optional<MadeClaim> claim = read_made_claim(answer, work->pod.uid);
        if (claim && !claim->of_pod) {
            step.claim.clear();
            again(work, task, "the claim's name was taken");
            return;
        }
    }
    take_resource_claim(work, task, std::move(answer));
}

}  // namespace bayplan::kube_shim
