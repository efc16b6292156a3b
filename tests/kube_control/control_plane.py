"""A real Kubernetes control plane on loopback: etcd, API server and controllers, built from go.mod here; and plain calls of
its API.

Nodes are objects with a status, there is no kubelet: a pod that is deleted with its grace period stays until the test ends it."""
import contextlib, json, os, pathlib, shutil, socket, ssl, subprocess, time, urllib.error, urllib.request

import yaml

HERE = pathlib.Path(__file__).resolve().parent
TOKEN = "token-of-the-test"
SHIM_TOKEN = "token-of-the-shim"
SHIM = "system:serviceaccount:bayplan:bayplan-kube"
RIGHTS = HERE.parents[1] / "tuning" / "kubernetes" / "rbac.yaml"
PATHS = {"Namespace": "/api/v1/namespaces", "ServiceAccount": "/api/v1/namespaces/bayplan/serviceaccounts",
         "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
         "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
         "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/bayplan/roles",
         "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/bayplan/rolebindings"}


def go():
    """The go command, or None."""
    return shutil.which("go") or next((p for p in ["/usr/local/go/bin/go"] if os.path.exists(p)), None)


GATES = "DRAExtendedResource=true"  # of the API server, its controllers and the shim
PROGRAMS = {"etcd": HERE / "etcd", "apiserver": HERE, "controllers": HERE, "kubectl": HERE / "kubectl", "scheduler": HERE}


def build(folder, names=("etcd", "apiserver", "controllers")):
    """The programs, into folder; kept if they are there. The first time takes about 12 minutes on 2 cores."""
    folder.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, GOFLAGS="-buildvcs=false -mod=readonly -p=2")
    for name in names:
        if not (folder / name).exists():
            print(f"building {name} ...", flush=True)
            package = "." if (PROGRAMS[name] / "main.go").exists() else f"./{name}"
            subprocess.run([go(), "build", "-o", str(folder / name), package], cwd=PROGRAMS[name], env=env, check=True)


def is_built(folder):
    return all((folder / name).exists() for name in ("etcd", "apiserver", "controllers"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class ControlPlane:
    def __init__(self, programs, folder):
        self.programs, self.folder, self.children = pathlib.Path(programs), pathlib.Path(folder), {}
        self.etcd, self.peer, self.port = free_port(), free_port(), free_port()
        self.kubeconfig = self.folder / "kubeconfig"
        self.context = ssl._create_unverified_context()

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        key = self.folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        with open(self.folder / "sa.pub", "wb") as out:
            subprocess.run(["openssl", "rsa", "-in", key, "-pubout"], check=True, stdout=out, stderr=subprocess.DEVNULL)
        (self.folder / "tokens.csv").write_text(f"{TOKEN},admin,admin,system:masters\n{SHIM_TOKEN},{SHIM},{SHIM}\n")
        try:
            self.start_etcd()
            self.start_api_server()
            self.write_kubeconfig(self.kubeconfig, SHIM_TOKEN)
            self.write_kubeconfig(self.folder / "admin", TOKEN)
            self.give_rights()
            self.start("controllers", f"--kubeconfig={self.folder}/admin", f"--service-account-private-key-file={key}",
                       "--leader-elect=false", "--secure-port=0", f"--feature-gates={GATES}",
                       "--controllers=*,-nodelifecycle,-nodeipam,-route,-cloud-node-lifecycle,-taint-eviction-controller")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self.children)[::-1]:
            self.stop(name)

    def start(self, name, *arguments):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.children[name] = subprocess.Popen([str(self.programs / name), *arguments], stdout=log, stderr=log,
                                                   cwd=self.folder)

    def stop(self, name, signal_=15):
        child = self.children.pop(name, None)
        if child is not None:
            child.send_signal(signal_)
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def start_etcd(self):
        url, peer = f"http://127.0.0.1:{self.etcd}", f"http://127.0.0.1:{self.peer}"
        self.start("etcd", "--data-dir", str(self.folder / "data"), "--listen-client-urls", url, "--advertise-client-urls", url,
                   "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
                   "--unsafe-no-fsync")

    def start_api_server(self, *more):
        f = self.folder
        self.start("apiserver", f"--etcd-servers=http://127.0.0.1:{self.etcd}", f"--secure-port={self.port}",
                   "--bind-address=127.0.0.1", f"--cert-dir={f}/certs", "--service-account-issuer=https://kubernetes.default.svc",
                   f"--service-account-key-file={f}/sa.pub", f"--service-account-signing-key-file={f}/sa.key",
                   f"--token-auth-file={f}/tokens.csv", "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
                   f"--feature-gates={GATES}",
                   "--allow-privileged=true", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition", *more)
        until(lambda: self.call("GET", "/readyz", raw=True)[0] == 200, "the API server to be ready", 120)

    def compact(self):
        """etcd forgets all former versions; what the API server keeps of them in memory goes with its restart."""
        status, answer = http(f"http://127.0.0.1:{self.etcd}/v3/kv/range", "POST", {"key": "AA=="})
        revision = answer["header"]["revision"]
        http(f"http://127.0.0.1:{self.etcd}/v3/kv/compaction", "POST", {"revision": revision, "physical": True})

    def write_kubeconfig(self, path, token):
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                   "insecure-skip-tls-verify": True}}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))

    def give_rights(self):
        """To the shim: the rights of the manifest, and no others."""
        for body in yaml.safe_load_all(RIGHTS.read_text()):
            self.must("POST", PATHS[body["kind"]], body)
        as_shim = lambda method, path, body=None: http(f"https://127.0.0.1:{self.port}{path}", method, body, context=self.context,
                                                       token=SHIM_TOKEN)[0]
        until(lambda: as_shim("GET", "/api/v1/pods") == 200, "the shim's rights")
        for method, path in (("GET", "/api/v1/secrets"), ("GET", "/api/v1/configmaps"), ("DELETE", "/api/v1/nodes/n1"),
                             ("POST", "/api/v1/namespaces/default/pods"), ("PATCH", "/api/v1/nodes/n1"),
                             ("DELETE", "/api/v1/namespaces/default")):
            assert as_shim(method, path, {} if method in ("POST", "PATCH") else None) == 403, (method, path)

    def allowed(self, user, verb, group, resource, name_space="", name=""):
        """Whether the API server would let the user do that."""
        resource, _, part = resource.partition("/")
        attributes = {"verb": verb, "group": group, "resource": resource, "subresource": part,
                      "namespace": name_space, "name": name}
        answer = self.must("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                           {"spec": {"user": user, "resourceAttributes": attributes}})
        return answer["status"]["allowed"]

    def call(self, method, path, body=None, kind="application/json", raw=False):
        return http(f"https://127.0.0.1:{self.port}{path}", method, body, kind, raw, self.context)

    def must(self, method, path, body=None, kind="application/json"):
        status, answer = self.call(method, path, body, kind)
        assert status < 300, (method, path, status, answer)
        return answer


def http(url, method, body=None, kind="application/json", raw=False, context=None, token=TOKEN):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Authorization": f"Bearer {token}", "Content-Type": kind}, method=method)
    try:
        with urllib.request.urlopen(request, context=context, timeout=20) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    except OSError:
        return 0, {}
    if raw:
        return status, text
    with contextlib.suppress(ValueError):
        return status, json.loads(text)
    return status, {}


def until(holds, what, seconds=60):
    """Waits for a condition, with a deadline."""
    deadline = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.05)
    return value
