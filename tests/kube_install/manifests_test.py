#!/usr/bin/env python3
"""manifests_test.py TOP PROGRAM CLI: the manifests, the chart and the image of tuning/kubernetes fit each other and the program.

The chart is rendered by text/template of Go, as Helm does; without Go that part is skipped, by exit status 77 at the end."""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile

import yaml

TOP, PROGRAM, CLI = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
FOLDER = TOP / "tuning" / "kubernetes"
HERE = pathlib.Path(__file__).resolve().parent
skipped = []


def documents(text):
    return [document for document in yaml.safe_load_all(text) if document]


def named(objects):
    """By kind and name; two of one name would be one too many."""
    made = {}
    for one in objects:
        key = (one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"])
        assert key not in made, key
        made[key] = one
    return made


def plain(*files):
    return named(one for file in files for one in documents((FOLDER / file).read_text()))


def deployment(objects):
    return next(one for (kind, _, _), one in objects.items() if kind == "Deployment")


def container(objects):
    return deployment(objects)["spec"]["template"]["spec"]["containers"][0]


def the_program_takes_the_arguments():
    """All of them: the first thing that it misses is the account of a pod, which is not there."""
    for file in ("embedded.yaml", "appliance.yaml"):
        arguments = container(plain(file))["args"]
        env = {"PATH": os.environ["PATH"]}
        done = subprocess.run([PROGRAM, *arguments, "--kubeconfig", "/nowhere"], capture_output=True, text=True, env=env)
        assert done.returncode == 2 and "/nowhere" in done.stderr, (file, done)
        done = subprocess.run([PROGRAM, *arguments, "--no-such-option"], capture_output=True, text=True, env=env)
        assert "no-such-option" in done.stderr + done.stdout, "an option that it has not is taken"


def manifests_fit_each_other():
    rights = plain("rbac.yaml")
    for file in ("embedded.yaml", "appliance.yaml"):
        made = deployment(plain(file))
        pod = made["spec"]["template"]
        name_space = made["metadata"]["namespace"]
        assert ("ServiceAccount", name_space, pod["spec"]["serviceAccountName"]) in rights
        assert made["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
        assert pod["spec"]["containers"][0]["image"].endswith(":" + version())
        arguments = dict(one.lstrip("-").split("=", 1) for one in pod["spec"]["containers"][0]["args"] if "=" in one)
        leases = rights[("Role", name_space, "bayplan-kube")]["rules"]
        named_leases = {name for rule in leases for name in rule.get("resourceNames", [])}
        assert arguments["lease-namespace"] == name_space and named_leases == {arguments["lease-name"]}
        secure = pod["spec"]["containers"][0]["securityContext"]
        assert secure["capabilities"]["drop"] == ["ALL"] and secure["readOnlyRootFilesystem"]
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        binding = next(one for key, one in rights.items() if key[0] == kind)
        assert any(key[0] == binding["roleRef"]["kind"] and key[2] == binding["roleRef"]["name"] for key in rights)
        assert [("ServiceAccount", s["namespace"], s["name"]) in rights for s in binding["subjects"]] == [True]


def certificates_are_where_they_are_looked_for(work):
    """What README.md says to type makes the files of the secret that the deployment mounts."""
    readme = (FOLDER / "README.md").read_text()
    command = re.search(r"^bayplan (certs .*)$", readme, re.M)[1].split()
    subprocess.run([CLI, *command], cwd=work, check=True, capture_output=True)
    secret = re.search(r"^kubectl create secret generic (\S+) .*$", readme, re.M)
    files = dict(re.findall(r"--from-file=(\S+?)=(\S+)", secret[0]))
    for file in [*files.values(), *re.findall(r"--(?:cert|key)=(\S+)", readme)]:
        assert (work / file).read_text().startswith("-----BEGIN"), file
    made = plain("appliance.yaml")
    volume = deployment(made)["spec"]["template"]["spec"]["volumes"][0]["secret"]
    assert volume["secretName"] == secret[1]
    mount = container(made)["volumeMounts"][0]["mountPath"]
    wanted = {f"--{option}={mount}/{key}" for option, key in (("ca", "ca.crt"), ("cert", "tls.crt"), ("key", "tls.key"))}
    assert wanted <= set(container(made)["args"]) and set(files) == {"ca.crt", "tls.crt", "tls.key"}
    issued = plain("cert-manager.yaml")
    certificate = next(one for key, one in issued.items() if key[0] == "Certificate")["spec"]
    assert certificate["secretName"] == secret[1] and ("Issuer", "bayplan", certificate["issuerRef"]["name"]) in issued
    assert f"--shim {certificate['commonName']}" in " ".join(command)


def version():
    return re.search(r"^  version: '(.*)',$", (TOP / "meson.build").read_text(), re.M)[1]


def rendered(work, values=None):
    """The chart's objects, with these values over its own."""
    def over(below, above):
        both = isinstance(below, dict) and isinstance(above, dict)
        return {**below, **{k: over(below.get(k), v) for k, v in above.items()}} if both else above

    chart = yaml.safe_load((FOLDER / "chart" / "Chart.yaml").read_text())
    assert chart["version"] == chart["appVersion"] == version()
    own = yaml.safe_load((FOLDER / "chart" / "values.yaml").read_text())
    context = {"Values": over(own, values or {}), "Release": {"Name": "bayplan-kube", "Namespace": "bayplan"},
               "Chart": {"AppVersion": chart["appVersion"]}}
    (work / "context.json").write_text(json.dumps(context))
    done = subprocess.run([work / "render", FOLDER / "chart", work / "context.json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return named(documents(done.stdout))


def chart(work):
    go = shutil.which("go") or next((p for p in ["/usr/local/go/bin/go"] if os.path.exists(p)), None)
    if go is None:
        skipped.append("the chart: Go is missing")
        return
    env = dict(os.environ, GO111MODULE="off", GOFLAGS="", GOTOOLCHAIN="local")
    subprocess.run([go, "build", "-o", work / "render", "main.go"], cwd=HERE / "render", check=True, env=env)
    with_namespace = {key: one for key, one in plain("rbac.yaml", "embedded.yaml").items() if key[0] != "Namespace"}
    assert rendered(work) == with_namespace, "the chart as it is, is not rbac.yaml and embedded.yaml"
    driven = {key: one for key, one in plain("rbac.yaml", "appliance.yaml").items() if key[0] != "Namespace"}
    assert rendered(work, {"daemon": {"host": "bayplan.example.com"}}) == driven
    issued = rendered(work, {"daemon": {"host": "bayplan.example.com"}, "certManager": {"enabled": True}})
    key = ("Certificate", "bayplan", "bayplan-kube")
    assert issued[key] == plain("cert-manager.yaml")[key]
    configuration = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                     "profiles": [{"schedulerName": "bayplan"}]}
    tolerations, secrets, limits = [{"key": "k", "operator": "Exists"}], [{"name": "s"}], {"limits": {"memory": "1Gi"}}
    made = rendered(work, {"name": "second", "schedulerConfiguration": configuration, "featureGates": "A=true",
                           "applications": True, "schedulerNames": ["a", "b"], "tolerations": tolerations,
                           "resources": limits, "nodeSelector": {"a": "b"}, "podAnnotations": {"c": "d"},
                           "imagePullSecrets": secrets, "image": {"tag": "7"}})
    assert yaml.safe_load(made[("ConfigMap", "bayplan", "second")]["data"]["config.yaml"]) == configuration
    pod = deployment(made)["spec"]["template"]
    arguments = container(made)["args"]
    wanted = {"--scheduler-name=a,b", "--feature-gates=A=true", "--applications", "--embedded", "--lease-name=second"}
    assert wanted <= set(arguments)
    folder = container(made)["volumeMounts"][0]["mountPath"]
    assert f"--scheduler-config={folder}/config.yaml" in arguments
    assert pod["spec"]["volumes"] == [{"name": "scheduler", "configMap": {"name": "second"}}]
    assert pod["metadata"]["annotations"] == {"c": "d"} and pod["spec"]["nodeSelector"] == {"a": "b"}
    assert pod["spec"]["tolerations"] == tolerations and pod["spec"]["imagePullSecrets"] == secrets
    assert container(made)["resources"] == limits and container(made)["image"] == "bayplan-kube:7"
    assert made[("Role", "bayplan", "second")]["rules"][1]["resourceNames"] == ["second"]


def image(work):
    """The program runs with what is in the image and nothing else."""
    built = PROGRAM.resolve().parents[2]
    made = [work / "one.tar", work / "two.tar"]
    for file in made:
        done = subprocess.run([FOLDER / "image", "--built", built, "-o", file], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert made[0].read_bytes() == made[1].read_bytes(), "the same files make another image"
    (work / "image").mkdir()
    subprocess.run(["tar", "-xf", made[0], "-C", work / "image"], check=True)
    manifest = json.loads((work / "image" / "manifest.json").read_text())[0]
    config = json.loads((work / "image" / manifest["Config"]).read_text())["config"]
    assert manifest["RepoTags"] == [container(plain("embedded.yaml"))["image"]] and config["User"] == "65532:65532"
    root = work / "root"
    root.mkdir()
    subprocess.run(["tar", "-xf", work / "image" / manifest["Layers"][0], "-C", root], check=True)
    enter = ["chroot"] if os.getuid() == 0 else ["unshare", "-r", "chroot"]
    if subprocess.run([*enter, "/", "/bin/true"], capture_output=True).returncode != 0:
        skipped.append("a start of the image: no namespaces here")
        return
    done = subprocess.run([*enter, root, *config["Entrypoint"], "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--embedded" in done.stdout, done


def only_known_files_make_requests():
    """Requests that tests/kube_shim/rights_test.cpp compares with the rights are made in these files and nowhere else."""
    making = {file.name for file in (TOP / "src" / "kube_shim").iterdir() if '"/api' in file.read_text()}
    known = {"pod_requests.cpp", "claim_requests.cpp", "elector.cpp", "resources.cpp", "resources.h"}
    assert making == known, making ^ known


with tempfile.TemporaryDirectory(prefix="bayplan-install-") as name:
    folder = pathlib.Path(name)
    the_program_takes_the_arguments()
    manifests_fit_each_other()
    certificates_are_where_they_are_looked_for(folder)
    only_known_files_make_requests()
    image(folder)
    chart(folder)
for one in skipped:
    print("skipped:", one)
sys.exit(77 if skipped else 0)
