"""A scenario as it goes, step by step, kept in the records without what is another at every run."""

from collections import Counter
from dataclasses import fields
from typing import Any

from tests.cluster.client import JOB, Object
from tests.cluster.cluster import Granted
from tests.cluster.records import Records
from tests.cluster.scenario import TEAM, Company, Scenario
from tests.cluster.waiting import until

TOPIC = "scenarios"
NO_DEVICE = "cannot allocate all claims"
"""What the scheduler says of a node that has not the devices."""


class Story:
    """``name`` is the scenario, ``load`` how busy the node of the preferred device is, in percent.

    Each step has the name of the Job that it is about, and ``company``: what the documents said then, where it is not
    what they say in every scenario. ``tell`` keeps the whole.
    """

    def __init__(self, records: Records, scenario: Scenario, name: str, load: int = 0) -> None:
        self._records = records
        self._scenario = scenario
        self._name = name
        self._load = load
        self._steps: list[Object] = []

    def given(self, pod: Object) -> list[str]:
        """The requests that the devices of a Pod are given for, when it has a node."""
        cluster = self._scenario.cluster
        placed = cluster.placed(pod)
        devices = cluster.granted(pod)
        requests = [each.request for each in devices]
        self._step(
            pod,
            given=dict(Counter(requests)),
            node=placed["spec"]["nodeName"],
            devices=[f"{each.pool}/{each.device}" for each in devices],
            attributes=_common(devices),
        )
        return requests

    def pending(self, pod: Object) -> str:
        """What the scheduler says of a Pod for which there are no devices."""
        message = self._scenario.cluster.unschedulable(pod, NO_DEVICE)
        self._step(pod, pending=message)
        return message

    def ended(self, job: str, condition: str = "Failed") -> str:
        """The reason for which a Job has ended, when it has."""
        cluster = self._scenario.cluster
        found = until(
            lambda: self.condition(job, condition),
            f"the end of {job}",
            seconds=30,
            seen=lambda: cluster.api.get(JOB, job, TEAM),
        )
        self._steps.append({"job": job, "ended": found["reason"], "message": found["message"]})
        reason: str = found["reason"]
        return reason

    def goes_on(self, job: str, why: str) -> None:
        """That something did not happen to a Job."""
        self._steps.append({"job": job, "goes on": why})

    def condition(self, job: str, condition: str) -> Object | None:
        """The condition of a Job that is true, or None."""
        found = self._scenario.cluster.api.get(JOB, job, TEAM).get("status", {}).get("conditions") or []
        return next((each for each in found if each["type"] == condition and each["status"] == "True"), None)

    def tell(self) -> None:
        """Keeps the scenario in the records, or compares it with them."""
        cluster = self._scenario.cluster
        switched = str(cluster.plane.settings).removeprefix(cluster.minor).strip()
        head = {
            "scenario": self._name,
            "load": self._load,
            "kubernetes": cluster.api.request("GET", "/version")["gitVersion"],
            **({"switched": switched} if switched else {}),
        }
        self._records.keep(TOPIC, f"{self._name}, load {self._load}", [head, *self._steps])

    def _step(self, pod: Object, **seen: Any) -> None:
        company = particular(self._scenario.company)
        job = pod["metadata"].get("labels", {}).get("batch.kubernetes.io/job-name", pod["metadata"]["name"])
        self._steps.append({"job": job, **seen, **({"company": company} if company else {})})


def particular(company: Company) -> Object:
    """The fields of a company that are not the usual ones, as JSON."""
    usual = Company(company.minor)
    differing = [field.name for field in fields(Company) if getattr(company, field.name) != getattr(usual, field.name)]
    return {name: _plain(getattr(company, name)) for name in differing}


def company_of(minor: str, step: Object) -> Company:
    """The company of a recorded step."""
    found = dict(step.get("company", {}))
    if "sick" in found:
        found["sick"] = tuple((node, number) for node, number in found["sick"])
    return Company(minor, **{name: tuple(value) if isinstance(value, list) else value for name, value in found.items()})


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _common(devices: list[Granted]) -> Object:
    """The attributes that all of some devices publish alike, without their types."""
    plain = [{name: next(iter(typed.values())) for name, typed in each.attributes.items()} for each in devices]
    return {name: value for name, value in plain[0].items() if all(each.get(name) == value for each in plain)}
