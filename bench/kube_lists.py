"""An API server that answers with recorded lists, made as large as one likes, page by page, and never held whole.

Each item is one that a real API server gave (tests/kube_shim/recorded), byte for byte but for its name, namespace, uid,
version, node, labels, and an annotation that brings a pod to a real one's size. The server takes bindings, tells them to its
watches, and has leases."""
import base64, json, pathlib, queue, re, socket, ssl, subprocess, threading, time

TOP = pathlib.Path(__file__).resolve().parents[1]
RECORDING = TOP / "tests" / "kube_shim" / "recorded" / "preemption.recording"
VERSION = 5_000_000
BOOKMARK_S = 30
SPACES, APPS = 200, 5_000  # namespaces, and sets of labels of pods
IMAGES = 10  # of a node


def answers(path):
    """Bodies of the answers of a recording, by the targets of their requests, in order."""
    data, at, targets, pieces = path.read_bytes(), 0, {}, {}
    while at < len(data):
        end = data.index(b"\n", at)
        words, at = data[at:end].split(), end + 1
        if words[0] == b"end":
            continue
        length = int(words[-1])
        if words[0] == b"request":
            targets[int(words[1])] = words[3].decode()
        elif words[0] == b"piece":
            pieces[int(words[1])] = pieces.get(int(words[1]), b"") + data[at:at + length]
        at += length + 1
    return [(targets[number], body_of(answer)) for number, answer in sorted(pieces.items())]


def body_of(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"chunked" not in head:
        return body.decode()
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        whole, body = whole + body[:int(size, 16)], body[int(size, 16) + 2:]
    return whole.decode()


def recorded():
    """Of the recording: {path: beginning of its list}; texts of a node, a namespace, a bound pod and a waiting one."""
    bodies, decoder = answers(RECORDING), json.JSONDecoder()
    heads = {target.partition("?")[0]: body[:body.index(',"metadata"')] for target, body in bodies if '"items":' in body}

    def first_of(kind):
        text = next(body for _, body in bodies if f'"kind":"{kind}List"' in body and '"items":[{' in body)
        start = text.index('"items":[') + len('"items":[')
        return text[start:decoder.raw_decode(text, start)[1]]

    lines = [line for _, body in bodies for line in body.split("\n")]
    events = [line for line in lines if line.startswith('{"type":') and '"kind":"Pod"' in line]
    pods = [line[line.index('"object":') + len('"object":'):-1] for line in events]
    pods = [pod.replace('"kind":"Pod","apiVersion":"v1",', "", 1) for pod in pods]
    bound = next(p for p in pods if '"nodeName":"' in p and "deletionTimestamp" not in p)
    waiting = next(p for p in pods if '"nodeName":"' not in p and "nominatedNodeName" not in p and "deletionTimestamp" not in p)
    return heads, first_of("Node"), first_of("Namespace"), bound, waiting


class Template:
    """A text with places for values, `<name>`. Filled piece by piece: faster than by %, which looks at each letter."""

    def __init__(self, text):
        parts = re.split("<([a-z]+)>", text)
        self.parts, self.names = parts, parts[1::2]

    def fill(self, **values):
        made = self.parts.copy()
        made[1::2] = [str(values[name]) for name in self.names]
        return "".join(made)


def with_places(item, size=0):
    """The item with places for what differs among many; a pod (with a size) gets labels, and is as long as that."""
    seen = json.loads(item)
    name = seen["metadata"]["name"]
    item = item.replace(f'"name":"{name}"', '"name":"<name>"', 1).replace(seen["metadata"]["uid"], "<uid>")
    item = item.replace(f'"kubernetes.io/hostname":"{name}"', '"kubernetes.io/hostname":"<name>"')
    item = item.replace(f'"kubernetes.io/metadata.name":"{name}"', '"kubernetes.io/metadata.name":"<name>"')
    item = re.sub('"resourceVersion":"[0-9]+"', '"resourceVersion":"<version>"', item, count=1)
    if size:
        item = item.replace('"namespace":"default"', '"namespace":"<space>"', 1)
        item = re.sub('"nodeName":"[^"]*"', '"nodeName":"<node>"', item, count=1)
        more = "x" * max(1, size - len(item) - 60)
        own = f'"labels":{{"app":"app-<app>"}},"annotations":{{"note":"{more}"}},'
        item = item.replace('"managedFields":', own + '"managedFields":', 1)
    return item


def node_template(item):
    images = ",".join(f'{{"names":["registry.example.com/team/image-{i}<image>:v1"],"sizeBytes":{50_000_000 + i}}}'
                      for i in range(IMAGES))
    item = with_places(item).replace('"cpu":"2"', '"cpu":"64"').replace('"memory":"16Gi"', '"memory":"256Gi"')
    item = item.replace('"kubernetes.io/hostname"', '"topology.kubernetes.io/zone":"zone-<zone>","kubernetes.io/hostname"', 1)
    return Template(item.replace('"nodeInfo":', f'"images":[{images}],"nodeInfo":', 1))


class Lists:
    """A cluster's lists: pods that run, the same number on each node, and `waiting` ones."""

    def __init__(self, nodes, pods, waiting, pod_bytes):
        self.heads, node, space, bound, unbound = recorded()
        self.space, self.node = Template(with_places(space)), node_template(node)
        self.bound, self.unbound = (Template(with_places(pod, pod_bytes)) for pod in (bound, unbound))
        self.nodes, self.pods, self.waiting = nodes, pods, waiting
        self.bound_to = {}  # of waiting pods, by number

    def node_item(self, at):
        return self.node.fill(name=f"node-{at:06d}", uid=f"00000000-0000-4000-a000-{at:012d}", version=at + 1, zone=at % 3,
                              image=at % 20)

    def space_item(self, at):
        return self.space.fill(name=f"team-{at}", uid=f"00000000-0000-4000-9000-{at:012d}", version=at + 1)

    def pod_item(self, at, version=None):
        """Running, on the node that it has by its number or was bound to; or, if it is one of those, waiting."""
        node = self.bound_to.get(at)
        item = self.bound if node or at < self.pods - self.waiting else self.unbound
        return item.fill(name=f"pod-{at:07d}", uid=f"00000000-0000-4000-b000-{at:012d}", app=at % APPS,
                         version=version or at + 1_000_001, space=f"team-{at % APPS % SPACES}",
                         node=node or f"node-{at % self.nodes:06d}")

    def page(self, path, query, version):
        made, whole = {"/api/v1/nodes": (self.node_item, self.nodes), "/api/v1/pods": (self.pod_item, self.pods),
                       "/api/v1/namespaces": (self.space_item, SPACES)}.get(path, (None, 0))
        limit, first = int(query.get("limit", 0)) or whole, int(base64.b64decode(query.get("continue", "MA==")))
        items = [made(at) for at in range(first, min(first + limit, whole))]
        meta = {"resourceVersion": str(version)}
        if first + len(items) < whole:
            meta["continue"] = base64.b64encode(str(first + len(items)).encode()).decode()
            meta["remainingItemCount"] = whole - first - len(items)
        return f'{self.heads[path]},"metadata":{json.dumps(meta, separators=(",", ":"))},"items":[{",".join(items)}]}}\n'.encode()


class Server:
    """HTTP/1.1 over TLS on loopback, a thread for each connection."""

    def __init__(self, lists, folder):
        self.lists, self.lock, self.version = lists, threading.Lock(), VERSION
        self.bindings, self.last_page, self.watches, self.leases = [], [], {}, {}
        certificate, key = folder / "server.pem", folder / "server.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", key,
                        "-out", certificate], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{self.listener.getsockname()[1]}",
                                                   "insecure-skip-tls-verify": True}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            with self.context.wrap_socket(client, server_side=True) as stream, stream.makefile("rb", 1 << 16) as requests:
                while self.answer(stream, requests):
                    pass
        except OSError:
            pass  # the client has gone

    def answer(self, stream, requests):
        line, length = requests.readline(), 0
        if not line.strip():
            return False
        method, target, _ = line.decode().split()
        while (header := requests.readline().lower().strip()):
            if header.startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        body = json.loads(requests.read(length)) if length else {}
        path, _, query = target.partition("?")
        query = dict(part.partition("=")[::2] for part in query.split("&"))
        query = {k: v.replace("%3D", "=").replace("%2B", "+").replace("%2F", "/") for k, v in query.items()}
        if "watch" in query:
            return self.watch(stream, path)
        status, text = self.result(method, path, query, body)
        stream.sendall(f"HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n".encode())
        stream.sendall(text)
        if path == "/api/v1/pods" and b'"continue"' not in text[:400]:
            self.last_page.append(time.monotonic())
        return True

    def result(self, method, path, query, body):
        if "/leases" in path:
            return self.lease(method, path, body)
        if method == "GET" and path not in self.lists.heads:
            return self.pod(path.split("/")[-1])
        if method == "GET":
            return 200, self.lists.page(path, query, self.version)
        if path.endswith("/binding"):
            return self.bind(path.split("/")[-2], body["target"]["name"])
        return (201 if method == "POST" else 200), b"{}"  # events, conditions

    def watch(self, stream, path):
        lines = queue.Queue()
        self.watches.setdefault(path, []).append(lines)
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            try:
                line = lines.get(timeout=BOOKMARK_S)
            except queue.Empty:
                meta = f'"metadata":{{"resourceVersion":"{self.version}"}}'
                line = f'{{"type":"BOOKMARK","object":{self.head_of_item(path)},{meta}}}}}\n'.encode()
            stream.sendall(b"%x\r\n%s\r\n" % (len(line), line))

    def head_of_item(self, path):
        return self.lists.heads[path].replace('List"', '"', 1)

    def tell(self, kind, item):
        """A pod's event to those that watch pods; called with the lock."""
        line = f'{{"type":"{kind}","object":{self.head_of_item("/api/v1/pods")},{item[1:]}}}\n'.encode()
        for lines in self.watches.get("/api/v1/pods", []):
            lines.put(line)

    def add_pod(self):
        """One more that waits."""
        with self.lock:
            self.version += 1
            self.lists.pods, self.lists.waiting = self.lists.pods + 1, self.lists.waiting + 1
            self.tell("ADDED", self.lists.pod_item(self.lists.pods - 1, self.version))

    def pod(self, name):
        with self.lock:
            item = self.lists.pod_item(int(name.split("-")[1]))
        return 200, f'{self.head_of_item("/api/v1/pods")},{item[1:]}'.encode()

    def bind(self, pod, node):
        at = int(pod.split("-")[1])
        with self.lock:
            if at in self.lists.bound_to:
                return 409, b'{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409}'
            self.version += 1
            self.lists.bound_to[at] = node
            self.bindings.append((time.monotonic(), pod, node))
            self.tell("MODIFIED", self.lists.pod_item(at, self.version))
        return 201, b'{"kind":"Status","apiVersion":"v1","status":"Success","code":201}'

    def lease(self, method, path, body):
        with self.lock:
            name = body["metadata"]["name"] if method == "POST" else path.split("/")[-1]
            now = self.leases.get(name)
            if method != "POST" and now is None:
                return 404, b'{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}'
            wanted = body.get("metadata", {}).get("resourceVersion")
            stale = method == "PATCH" and wanted not in (None, now["metadata"]["resourceVersion"])
            if stale or (method == "POST" and now is not None):
                return 409, b'{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409}'
            if method != "GET":
                self.version += 1
                spec = {**(now or {}).get("spec", {}), **body["spec"]}
                now = {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "spec": spec,
                       "metadata": {"name": name, "namespace": "bayplan", "resourceVersion": str(self.version)}}
                self.leases[name] = now
            return 200, json.dumps(now).encode()
