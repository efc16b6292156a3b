"""baypland on kernel UDP on loopback, for stories in which the shim drives an appliance."""
import pathlib, re, signal, subprocess

from control_plane import until

CONFIG = """
partitions:
  - name: default
    shims: [shim-a]
    compat: kubernetes-1.35
    preemption: {compat: kubernetes-1.35}
data_plane:
  port: kernel
  address: 127.0.0.1
  udp_port: %d
  tls: {certificate: certs/server.pem, key: certs/server.key, authority: certs/ca.pem}
rest_listen: off
"""


class Appliance:
    def __init__(self, program, make_certs, folder):
        self.program, self.folder, self.child, self.port = str(pathlib.Path(program).resolve()), folder, None, 0
        self.record, self.starts = None, 0  # the file that the run is recorded in: another one at each start
        folder.mkdir()
        subprocess.run([make_certs, str(folder / "certs"), "shim-a"], check=True, capture_output=True)

    def arguments(self):
        """The command line of a shim that drives it."""
        certs = self.folder / "certs"
        return ["--daemon", "127.0.0.1", "--daemon-port", str(self.port), "--ca", str(certs / "ca.pem"),
                "--cert", str(certs / "shim-a.pem"), "--key", str(certs / "shim-a.key")]

    def start(self):
        """The first start takes any free port, later ones the same again."""
        self.starts += 1
        self.record = self.folder / f"record-{self.starts}"
        (self.folder / "daemon.yaml").write_text(CONFIG % self.port)
        log = self.folder / "daemon.log"
        with open(log, "wb") as out:
            command = [self.program, "--config", "daemon.yaml", "--record", str(self.record)]
            self.child = subprocess.Popen(command, stdout=out, stderr=out, cwd=self.folder)
        until(lambda: b'msg="ready"' in log.read_bytes(), "the daemon to be ready", 30)
        self.port = int(re.search(rb'msg="port open".* udp_port=(\d+)', log.read_bytes())[1])

    def end(self, how=signal.SIGTERM):
        if self.child is not None:
            self.child.send_signal(how)
            self.child.wait(30)
            self.child = None
