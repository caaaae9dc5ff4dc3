"""A Kubernetes control plane of a minor on loopback: etcd, API server, scheduler and controller manager."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import urllib3
import yaml

from tests.cluster.build import cluster_binary
from tests.cluster.client import Api, ApiError
from tests.cluster.waiting import until

ADMIN = "admin"
TEAM_GROUP = "teams"
USERS = {ADMIN: "system:masters", "engineer": TEAM_GROUP}
"""Who there is, with the group: a user's token is its name."""

CONTROLLERS = (
    "resourceclaim-controller",
    "device-taint-eviction-controller",
    "job-controller",
    "cronjob-controller",
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "ttl-after-finished-controller",
    "namespace-controller",
    "garbage-collector-controller",
    "resourcequota-controller",
    "validatingadmissionpolicy-status-controller",
    "disruption-controller",
)
"""Not the ones of node lifecycle, which would taint nodes without a kubelet."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a control plane is started with: two with the same settings are the same."""

    minor: str
    gates: tuple[tuple[str, bool], ...] = ()
    runtime_config: tuple[str, ...] = ()

    @classmethod
    def of(cls, minor: str, gates: Mapping[str, bool] | None = None, runtime_config: Sequence[str] = ()) -> "Settings":
        return cls(minor, tuple(sorted((gates or {}).items())), tuple(runtime_config))

    @property
    def gate_option(self) -> list[str]:
        switched = ",".join(f"{name}={str(on).lower()}" for name, on in self.gates)
        return [f"--feature-gates={switched}"] if switched else []

    def __str__(self) -> str:
        return " ".join((self.minor, *(f"{name}={on}" for name, on in self.gates), *self.runtime_config))


class ControlPlane:
    """A running control plane. Its folder has the data and the logs, and goes when it is stopped.

    With ``data``, the folder of etcd is that one and stays: a later control plane goes on from there.
    """

    def __init__(self, settings: Settings, data: Path | None = None) -> None:
        self.settings = settings
        self._binary = cluster_binary(settings.minor)
        self.folder = Path(tempfile.mkdtemp(prefix=f"cluster-{settings.minor}-"))
        self._data = data or self.folder / "etcd"
        self._processes: list[tuple[str, subprocess.Popen[bytes]]] = []
        try:
            with _free_ports(3) as ports:
                clients, peers, secure = ports
            self.api = self._start(clients, peers, secure)
        except BaseException:
            self.stop()
            raise

    @property
    def minor(self) -> str:
        return self.settings.minor

    def stop(self) -> None:
        """Ends every process, the last started first and all but etcd without ceremony, and removes the folder."""
        for program, process in reversed(self._processes):
            if program == "etcd":
                process.terminate()
            else:
                process.kill()
            process.communicate()
        self._processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    def keep_logs(self, folder: Path) -> None:
        """Copies the logs, and the settings, for someone to read."""
        folder.mkdir(parents=True, exist_ok=True)
        for log in self.folder.glob("*.log"):
            shutil.copy(log, folder)
        (folder / "settings.txt").write_text(f"{self.settings}\n", encoding="utf-8")

    def tail(self, lines: int = 15) -> str:
        """The end of each log."""
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(
            f"{log.name}:\n" + "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) for log in logs
        )

    def _start(self, clients: int, peers: int, secure: int) -> Api:
        etcd, url = f"http://127.0.0.1:{clients}", f"https://127.0.0.1:{secure}"
        self._run(
            "etcd",
            f"--data-dir={self._data}",
            f"--listen-client-url={etcd}",
            f"--listen-peer-url=http://127.0.0.1:{peers}",
        )
        self._run("kube-apiserver", *self._server_options(etcd, secure))
        kubeconfig = self._kubeconfig(url)
        certificate = self.folder / "certificates" / "apiserver.crt"
        until(certificate.exists, "a certificate of the API server", seconds=60, seen=self.tail)
        api = Api.connect(url, ADMIN, certificate)
        until(lambda: self._ready(api), "a ready API server", seconds=60, seen=self.tail)
        common = [f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0", *self.settings.gate_option]
        seen_by = [f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}"]
        self._run("kube-scheduler", *common, *seen_by, "--v=2")
        self._run("kube-controller-manager", *common, f"--controllers={','.join(CONTROLLERS)}", "--v=2")
        return api

    def _server_options(self, etcd: str, secure: int) -> list[str]:
        tokens = self.folder / "tokens.csv"
        tokens.write_text("".join(f"{user},{user},{user},{group}\n" for user, group in USERS.items()), encoding="utf-8")
        key = self.folder / "service-accounts.key"
        key.write_bytes(subprocess.run([self._binary, "new-key"], capture_output=True, check=True).stdout)
        served = ",".join(f"{each}=true" for each in self.settings.runtime_config)
        return [
            f"--etcd-servers={etcd}",
            f"--secure-port={secure}",
            "--bind-address=127.0.0.1",
            f"--cert-dir={self.folder / 'certificates'}",
            f"--token-auth-file={tokens}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--disable-admission-plugins=ServiceAccount",
            "--endpoint-reconciler-type=none",
            *([f"--runtime-config={served}"] if served else []),
            *self.settings.gate_option,
        ]

    def _kubeconfig(self, url: str) -> Path:
        path = self.folder / "kubeconfig"
        cluster = {"server": url, "certificate-authority": str(self.folder / "certificates" / "apiserver.crt")}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": ADMIN, "user": {"token": ADMIN}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": ADMIN}}],
            "current-context": "test",
        }
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        return path

    def _run(self, program: str, *options: str) -> None:
        with (self.folder / f"{program}.log").open("wb") as log:
            process = subprocess.Popen(
                [self._binary, program, *options],
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "GOMAXPROCS": "2"},
            )
        self._processes.append((program, process))

    def _ready(self, api: Api) -> bool:
        for program, process in self._processes:
            if process.poll() is not None:
                raise AssertionError(f"{program} of {self.settings} ended with {process.returncode}:\n{self.tail()}")
        try:
            api.request("GET", "/readyz", timeout=2)
        except (ApiError, urllib3.exceptions.HTTPError):
            return False
        return True


@contextlib.contextmanager
def _free_ports(count: int) -> Iterator[list[int]]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        yield [each.getsockname()[1] for each in sockets]


class ControlPlanes:
    """The control planes of a run, started when they are first asked for; the longest unused make room for others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: dict[Settings, ControlPlane] = {}
        self.started: list[tuple[Settings, float]] = []

    def get(self, settings: Settings) -> ControlPlane:
        plane = self._running.pop(settings, None)
        if plane is None:
            while len(self._running) >= self._most:
                self._running.pop(next(iter(self._running))).stop()
            began = time.monotonic()
            plane = ControlPlane(settings)
            self.started.append((settings, time.monotonic() - began))
        self._running[settings] = plane
        return plane

    def stop(self) -> None:
        while self._running:
            self._running.popitem()[1].stop()
