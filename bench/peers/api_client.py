"""Many requests to an API server from Python at little CPU: 30 connections, as scheduler_perf has 30 workers."""
import contextlib, http.client, json, re, ssl, socket, struct, threading, time

BATCH = 2  # requests of a connection that are sent before the first answer is read


class Connection:
    def __init__(self, port, token):
        context = ssl._create_unverified_context()
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
        self.answers, self.token = self.socket.makefile("rb", 1 << 16), token

    def send(self, requests):
        """[(method, path, body)] -> statuses, in their order."""
        self.socket.sendall(b"".join(self.bytes_of(*one) for one in requests))
        return [self.read() for _ in requests]

    def bytes_of(self, method, path, body):
        return (f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def read(self):
        status, length, chunked = int(self.answers.readline().split()[1]), 0, False
        while (line := self.answers.readline().lower().strip()):
            if line.startswith(b"content-length:"):
                length = int(line.split()[1])
            chunked = chunked or line == b"transfer-encoding: chunked"
        while chunked:
            length = int(self.answers.readline(), 16)
            self.answers.read(length + 2)
            if length == 0:
                return status
        self.answers.read(length)
        return status


def creations(path, objects):
    return [("POST", path, json.dumps(body).encode()) for body in objects]


def create(port, token, requests, connections=30):
    """Creations are sent, in about this order, and all of them succeed."""
    faults = []

    def work(first):
        try:
            connection, mine = Connection(port, token), requests[first::connections]
            for at in range(0, len(mine), BATCH):
                faults.extend(s for s in connection.send(mine[at:at + BATCH]) if s != 201)
        except Exception as fault:  # a thread's fault is told by the caller
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(connections)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not faults, faults[:5]


class BoundPods(threading.Thread):
    """When the pods of a namespace came to have a node, by a watch of those that have one. An API server that is pressed ends its
    watches (and so it does with schedulers'); this one then begins anew with all that there is, and counts nobody twice."""

    def __init__(self, port, token, namespace):
        super().__init__(daemon=True)
        self.port, self.times, self.seen, self.cuts = port, [], set(), 0
        query = "?watch=1&fieldSelector=spec.nodeName%21%3D&resourceVersion=0&timeoutSeconds=3600"
        self.request = (f"/api/v1/namespaces/{namespace}/pods{query}", {
            "Authorization": f"Bearer {token}", "Accept": "application/vnd.kubernetes.protobuf;stream=watch"})
        self.answer = self.open()
        self.start()

    def open(self):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=ssl._create_unverified_context())
        connection.request("GET", self.request[0], headers=self.request[1])
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        return answer

    def run(self):
        with contextlib.suppress(OSError):  # the server has ended
            while True:
                self.read()
                self.cuts, self.answer = self.cuts + 1, self.open()

    def read(self):
        with contextlib.suppress(http.client.HTTPException):
            while len(head := self.answer.read(4)) == 4:
                name = re.search(rb"pod-[0-9]+", self.answer.read(struct.unpack(">I", head)[0]))[0]
                if name not in self.seen:
                    self.seen.add(name)
                    self.times.append(time.monotonic())


def figures_of(api):
    """Of the API server's /metrics: its seconds of CPU, and how many requests it has answered, by verb and resource."""
    cpu, requests = 0.0, {}
    for line in api.call("GET", "/metrics", raw=True)[1].decode().split("\n"):
        if line.startswith("process_cpu_seconds_total "):
            cpu = float(line.split()[1])
        elif line.startswith("apiserver_request_total{"):
            labels = dict(re.findall(r'(\w+)="([^"]*)"', line))
            part = f"/{labels['subresource']}" if labels["subresource"] else ""
            name = f"{labels['verb']} {labels['resource']}{part}"
            requests[name] = requests.get(name, 0) + int(float(line.rsplit(" ", 1)[1]))
    return cpu, requests
