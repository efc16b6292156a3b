#!/usr/bin/env python3
"""An extender as people write them for kube-scheduler: two filters, scores, two verbs of preemption, and a binder over HTTP. It
knows nothing of Bayplan.

Usage: extender.py API_SERVER_URL

Prints its address, and ends by POST /quit, or two minutes later. A pod's annotations say which nodes the filters let it have:
`licensed` those of /license (by names), `attested` those of /site (whole nodes: its label `site` must be the pod's annotation
`site` too). /site/bind binds by the API server, as binders do. /license/preempt lets pods go from nodes that the annotation
`licensed` names, and pods whose UIDs stand in the annotation `beside` with them; /site/preempt (whole pods) those that have the
annotation `spare`, if they are all that would go. /license/prioritize (names) and /site/prioritize (whole nodes) give nodes the
scores in the annotations `likes` and `favours`, as `n1=3 n2=7`; other nodes get 0.
"""
import http.server
import json
import sys
import threading
import urllib.error
import urllib.request


def words(args, name):
    return args["Pod"]["metadata"].get("annotations", {}).get(name, "").split()


def license_filter(args):
    licensed = words(args, "licensed")
    return {
        "NodeNames": [name for name in args["NodeNames"] if name in licensed],
        "FailedNodes": {name: "no license left" for name in args["NodeNames"] if name not in licensed},
        "Error": "",
    }


def site_filter(args):
    site = args["Pod"]["metadata"].get("annotations", {}).get("site")
    good, failed, never = [], {}, {}
    for node in args["Nodes"]["items"]:
        name = node["metadata"]["name"]
        if name not in words(args, "attested"):
            failed[name] = "not attested"
        elif node["metadata"].get("labels", {}).get("site") != site:
            never[name] = "of another site"
        else:
            good.append(node)
    return {"Nodes": {"items": good}, "FailedNodes": failed, "FailedAndUnresolvableNodes": never}


def bind(args):
    path = f"/api/v1/namespaces/{args['PodNamespace']}/pods/{args['PodName']}/binding"
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": args["PodName"], "uid": args["PodUID"]},
            "target": {"kind": "Node", "name": args["Node"]}}
    request = urllib.request.Request(sys.argv[1] + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        urllib.request.urlopen(request).read()
        return {"Error": ""}
    except urllib.error.URLError as error:
        return {"Error": f"the extender could not bind: {error}"}


def license_preempt(args):
    found = {}
    for node, victims in args["NodeNameToMetaVictims"].items():
        if node in words(args, "licensed"):
            beside = [{"UID": uid} for uid in words(args, "beside")]
            found[node] = {"Pods": victims["Pods"] + beside, "NumPDBViolations": victims["NumPDBViolations"]}
    return {"NodeNameToMetaVictims": found}


def site_preempt(args):
    return {"NodeNameToMetaVictims": {
        node: {"Pods": [{"UID": pod["metadata"]["uid"]} for pod in victims["Pods"]], "NumPDBViolations": 0}
        for node, victims in args["NodeNameToVictims"].items()
        if all("spare" in pod["metadata"].get("annotations", {}) for pod in victims["Pods"])}}


def scores(args, names, annotation):
    given = dict(word.split("=") for word in words(args, annotation))
    return [{"Host": name, "Score": int(given.get(name, 0))} for name in names]


def license_prioritize(args):
    return scores(args, args["NodeNames"], "likes")


def site_prioritize(args):
    return scores(args, [node["metadata"]["name"] for node in args["Nodes"]["items"]], "favours")


VERBS = {"/license/prioritize": license_prioritize, "/site/prioritize": site_prioritize,
         "/license/filter": license_filter, "/site/filter": site_filter, "/site/bind": bind,
         "/license/preempt": license_preempt, "/site/preempt": site_preempt}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        verb = VERBS.get(self.path)
        answer = json.dumps(verb(json.loads(body)) if verb else {}).encode()
        self.send_response(200 if verb or self.path == "/quit" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        if self.path == "/quit":
            threading.Thread(target=self.server.shutdown).start()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
end = threading.Timer(120, server.shutdown)
end.daemon = True
end.start()
server.serve_forever()
