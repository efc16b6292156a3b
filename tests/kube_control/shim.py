"""bayplan-kube as a child of the stories."""
import signal, subprocess


class Shim:
    """The program under test; as a context it is ended at the end."""

    def __init__(self, program, kubeconfig, log, appliance=None, more=()):
        self.program, self.kubeconfig, self.log, self.child, self.appliance = program, kubeconfig, log, None, appliance
        self.more = more

    def start(self):
        with open(self.log, "ab") as log:
            partition = self.appliance.arguments() if self.appliance else ["--embedded"]
            command = [self.program, "--kubeconfig", str(self.kubeconfig), *partition, *self.more]
            self.child = subprocess.Popen(command, stdout=log, stderr=log)

    def end(self, how=signal.SIGTERM):
        if self.child is not None:
            self.child.send_signal(how)
            self.child.wait(30)
            self.child = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.end()
