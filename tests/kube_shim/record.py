#!/usr/bin/env python3
"""record.py --kubeconfig FILE --out FILE [--port N]: stands between bayplan-kube and a real API server and writes down
what that answers.

Listens for plain HTTP on loopback, passes each request on over TLS with the kubeconfig's token, one connection each, and
writes in the order of time, byte for byte:

    request NUMBER METHOD TARGET LENGTH     then the body, then LF
    piece NUMBER LENGTH                     then bytes of the answer (head included) as they came, then LF
    end NUMBER                              the server has ended it

played_server.h plays such a file. The token is not written down. Ends at SIGTERM; "ready PORT" on standard output says
that it listens."""
import argparse, base64, os, signal, socket, ssl, threading, urllib.parse

import yaml


class Recording:
    def __init__(self, path):
        self.file, self.lock, self.number = open(path, "wb"), threading.Lock(), 0

    def request(self, method, target, body):
        with self.lock:
            self.number += 1
            self.file.write(f"request {self.number} {method} {target} {len(body)}\n".encode() + body + b"\n")
            return self.number

    def piece(self, number, data):
        with self.lock:
            self.file.write(f"piece {number} {len(data)}\n".encode() + data + b"\n")
            self.file.flush()

    def end(self, number):
        with self.lock:
            self.file.write(f"end {number}\n".encode())
            self.file.flush()


def upstream(kubeconfig):
    config = yaml.safe_load(open(kubeconfig))
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    context = ssl.create_default_context()
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    elif "certificate-authority-data" in cluster:
        context.load_verify_locations(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    url = urllib.parse.urlparse(cluster["server"])
    return context, url.hostname, url.port or 443, user.get("token", "")


def read_request(stream):
    """Method, target, headers that matter, body; None at the end of the connection."""
    line = stream.readline()
    if not line.strip():
        return None
    method, target, _ = line.decode().split()
    headers = {}
    while (header := stream.readline().strip()):
        name, value = header.decode().split(":", 1)
        headers[name.lower()] = value.strip()
    return method, target, headers, stream.read(int(headers.get("content-length", 0)))


def serve(client, recording, server):
    context, host, port, token = server
    with client, client.makefile("rb") as stream:
        request = read_request(stream)
        if request is None:
            return
        method, target, headers, body = request
        number = recording.request(method, target, body)
        try:
            connection = socket.create_connection((host, port))
        except OSError:
            recording.end(number)  # without a byte: nobody listens
            return
        with context.wrap_socket(connection, server_hostname=host) as api:
            head = f"{method} {target} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\nAccept: application/json\r\n"
            head += f"User-Agent: bayplan-kube\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n"
            if "content-type" in headers:
                head += f"Content-Type: {headers['content-type']}\r\n"
            api.sendall(head.encode() + b"\r\n" + body)
            try:
                while (data := api.recv(1 << 20)):
                    recording.piece(number, data)
                    client.sendall(data)
            except ConnectionResetError:
                pass  # the server's end
            except OSError:
                return  # the client has gone; the answer has no end
        recording.end(number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    recording, server = Recording(options.out), upstream(options.kubeconfig)
    listener = socket.create_server(("127.0.0.1", options.port), backlog=256)
    print("ready", listener.getsockname()[1], flush=True)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, recording, server), daemon=True).start()


if __name__ == "__main__":
    main()
