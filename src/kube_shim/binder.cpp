// See binder.h.
#include "kube_shim/binder.h"

#include <fmt/format.h>

#include "kube_shim/answer_object.h"

namespace bayplan::kube_shim {

void Binder::bind(const PodName& pod, std::string_view node) {
    const auto binding = std::make_shared<Binding>(
        Binding{pod, std::string(node), 0, Backoff(backoff_initial_, std::chrono::milliseconds(10'000))});
    bindings_[pod.uid] = binding;
    post(binding);
}

void Binder::forget(const std::string&, const std::string& uid) { bindings_.erase(uid); }

bool Binder::is_current(const Shared& binding) const {
    const auto found = bindings_.find(binding->pod.uid);
    return found != bindings_.end() && found->second == binding;
}

void Binder::post(const Shared& binding) {
    ++binding->posts;
    const auto take = [this, binding](HttpAnswer&& answer) { take_post(binding, answer); };
    if (!elsewhere_(binding->pod, binding->node, take)) {
        requests_.submit(RequestKind::binding, bind_pod(binding->pod, binding->node), take);
    }
}

void Binder::take_post(const Shared& binding, const HttpAnswer& answer) {
    if (!is_current(binding)) {
        return;
    }
    if (answer.ok()) {
        end(binding, true, {});
    } else if (answer.status == 404) {
        end(binding, false, "the pod is gone");
    } else if (may_pass_later(answer)) {
        verify_later(binding);
    } else {
        end(binding, false, refusal_of(answer));
    }
}

void Binder::verify_later(const Shared& binding) {
    timers_.after(binding->backoff.next(random_), [this, binding] { verify(binding); });
}

void Binder::verify(const Shared& binding) {
    if (!is_current(binding)) {
        return;
    }
    ++counters_.verified;
    requests_.submit(RequestKind::binding, get_pod(binding->pod.key),
                     [this, binding](HttpAnswer&& answer) { take_look(binding, std::move(answer)); });
}

void Binder::take_look(const Shared& binding, HttpAnswer&& answer) {
    if (!is_current(binding)) {
        return;
    }
    if (answer.status == 404) {
        end(binding, false, "the pod is gone");
        return;
    }
    std::string uid;
    std::string node;
    bool deleted = false;
    const bool read = answer.ok() && read_answer(answer, [&](const kube::Value& pod) {
                          uid = pod["metadata"]["uid"].text();
                          node = pod["spec"]["nodeName"].text();
                          deleted = pod["metadata"]["deletionTimestamp"].present();
                      });
    if (!read) {
        verify_later(binding);  // it must be known
    } else if (uid != binding->pod.uid) {
        end(binding, false, "another pod has its name");
    } else if (!node.empty()) {
        end(binding, node == binding->node, "it is bound to " + node);
    } else if (deleted) {
        end(binding, false, "the pod is being deleted");
    } else if (binding->posts >= kPostsMax) {
        end(binding, false, fmt::format("not bound after {} tries", binding->posts));
    } else {
        post(binding);
    }
}

void Binder::end(const Shared& binding, bool bound, const std::string& why) {
    bindings_.erase(binding->pod.uid);
    if (bound) {
        ++counters_.bound;
        on_bound_(binding->pod, binding->node);
    } else {
        ++counters_.failed;
        on_failed_(binding->pod, why);
    }
}

}  // namespace bayplan::kube_shim
