"""Every finding about a selector, as its reader sees it, and a twin about which there is nothing to say.

``‹`` and ``›`` mark what the finding is about; ``%A`` and ``%C`` stand for the attributes and the capacity of the
driver's own domain.
"""

from dataclasses import dataclass, field

import pytest

from claimsmith.findings import Severity
from claimsmith.rules import rule
from claimsmith.rules.selectors.fleet import FOREIGN, kinds_of
from claimsmith.rules.selectors.inspection import Setting, check_selector, check_selectors
from tests.rules.selector_setting import CATALOGUE, target, under_class

GPUS = "devices of type `gpu` of `gpu.nvidia.com` 0.4.1"
A, C = 'device.attributes["gpu.nvidia.com"]', 'device.capacity["gpu.nvidia.com"]'
ARCHITECTURES = "known: Kepler, Maxwell, Pascal, Volta, Turing, Ampere, Ada Lovelace, Hopper, Blackwell, Rubin, Unknown"
DRANET = under_class("dra.net", "1.4.0", 'device.driver == "dra.net"')
EVERY_TYPE = under_class(class_selector='device.driver == "gpu.nvidia.com"', gates=("PassthroughSupport",))
LATE = under_class(minor="1.34")


@dataclass(frozen=True, slots=True)
class Case:
    rule: str
    bad: str
    message: str
    help: str = ""
    good: str = "true"
    setting: Setting = field(default_factory=under_class)


def text(written: str) -> str:
    return written.replace("%A", A).replace("%C", C)


REFUSED = "the API server refuses this selector: "
CASES = [
    Case(
        "CS301",
        '‹%C.memory >= quantity("40Gi")›',
        f"{REFUSED}found no matching overload for '_>=_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
        f'write {C}.memory.compareTo(quantity("40Gi")) >= 0',
        '%C.memory.compareTo(quantity("40Gi")) >= 0',
    ),
    Case(
        "CS301",
        '‹%C.memory.compareTo("40Gi")› >= 0',
        f"{REFUSED}found no matching overload for 'compareTo' applied to 'kubernetes.Quantity.(string)'",
        'write compareTo(quantity("40Gi"))',
    ),
    Case(
        "CS301",
        '‹%C.memory.quantity› == "40Gi"',
        f"{REFUSED}unexpected failed resolution of 'kubernetes.Quantity'",
        "a capacity is a quantity already: take the suffix off, and compare with .compareTo(quantity(…))",
    ),
    Case(
        "CS301",
        '‹device.attributes["productName"] == "NVIDIA L4"›',
        f"{REFUSED}found no matching overload for '_==_' applied to '(map(string, any), string)'",
        f"write {A}.productName",
        '%A.productName == "NVIDIA L4"',
    ),
    Case(
        "CS301",
        '‹device.attributes["gpu.nvidia.com/productName"] == "NVIDIA L4"›',
        f"{REFUSED}found no matching overload for '_==_' applied to '(map(string, any), string)'",
        f"write {A}.productName",
    ),
    Case(
        "CS301",
        '‹attributes›["gpu.nvidia.com"].productName == "NVIDIA L4"',
        f"{REFUSED}undeclared reference to 'attributes' (in container '')",
        "write device.attributes",
    ),
    Case(
        "CS301",
        "‹device.name› == 'gpu-0'",
        f"{REFUSED}undefined field 'name'",
        "the name of a device cannot be selected; keep one out with a quarantine or by an attribute such as uuid",
    ),
    Case(
        "CS301",
        'has(‹%A["uuid"]›)',
        f"{REFUSED}invalid argument to has() macro",
        f"write has({A}.uuid)",
        "has(%A.uuid)",
    ),
    Case(
        "CS301",
        'has(‹device.attributes["gpu.nvidia.com"]›)',
        f"{REFUSED}invalid argument to has() macro",
        'write "gpu.nvidia.com" in device.attributes',
    ),
    Case(
        "CS301",
        '%A.architecture == "Hopper" ‹and› true',
        f"{REFUSED}Syntax error: mismatched input 'and' expecting <EOF>",
        "write &&",
    ),
    Case(
        "CS301",
        '‹%C.memory.isGreaterThanOrEqualTo(quantity("80Gi"))›',
        f"{REFUSED}undeclared reference to 'isGreaterThanOrEqualTo' (in container '')",
        "write .compareTo(…) >= 0",
    ),
    Case(
        "CS301",
        "device.attributes[‹gpu›.nvidia.com].uuid == 'x'",
        f"{REFUSED}undeclared reference to 'gpu' (in container '')",
        'write the domain in quotes: device.attributes["…"]',
    ),
    Case(
        "CS301",
        "‹device.driver›",
        f"{REFUSED}must evaluate to bool or the unknown type, not string",
        "compare it, so that it is true or false",
        'device.driver == "gpu.nvidia.com"',
    ),
    Case(
        "CS302",
        f"‹{'[1,2,3,4,5,6,7,8,9].all(a, ' * 8}true{')' * 8}›",
        f"{REFUSED}too complex, exceeds cost limit: estimated cost 204471920, limit 1000000",
        "leave out nested loops and long regular expressions, or split it into several selectors",
        "[1,2,3].all(a, a > 0)",
    ),
    Case(
        "CS303",
        "‹[1,2].distinct()› == [1,2]",
        "Kubernetes 1.34 refuses this selector: undeclared reference to 'distinct' (in container '')",
        "it is accepted from 1.35 on",
        "[1,2] == [1,2]",
        LATE,
    ),
    Case(
        "CS303",
        "‹%A.productName.includes('NVIDIA L4')›",
        "Kubernetes 1.36 refuses this selector: undeclared reference to 'includes' (in container '')",
        "it is accepted with the feature gate DRAListTypeAttributes",
    ),
    Case(
        "CS401",
        "%A.‹productname› == 'NVIDIA L4'",
        f"{GPUS} publish no attribute `productname`",
        "did you mean `productName`?",
        "%A.productName == 'NVIDIA L4'",
    ),
    Case(
        "CS401",
        "%A.‹pcieRoot› == 'pci0000:a0'",
        f"{GPUS} publish no attribute `pcieRoot`",
        'did you mean `device.attributes["resource.kubernetes.io"].pcieRoot`?',
        'device.attributes["resource.kubernetes.io"].?pcieRoot.orValue("") == "pci0000:a0"',
    ),
    Case(
        "CS401",
        "cel.bind(gpu, %A, gpu.‹arch› == 'Hopper')",
        f"{GPUS} publish no attribute `arch`",
        good="cel.bind(gpu, %A, gpu.architecture == 'Hopper')",
    ),
    Case(
        "CS402",
        "device.attributes[‹'nvidia.com'›].productName == 'NVIDIA L4'",
        f"{GPUS} publish nothing in the domain `nvidia.com`",
        "did you mean `gpu.nvidia.com`? known: gpu.nvidia.com, resource.kubernetes.io",
    ),
    Case(
        "CS403",
        "%A.‹index› == 0",
        f"{GPUS} do not publish `index`: it was removed in 25.8.0, use gpu.nvidia.com/uuid or "
        "resource.kubernetes.io/pciBusID or resource.kubernetes.io/pcieRoot",
    ),
    Case(
        "CS403",
        'device.attributes["resource.kubernetes.io"].‹numaNode› == 0',
        f"{GPUS} do not publish `resource.kubernetes.io/numaNode`: it comes with unreleased",
        good='device.attributes["resource.kubernetes.io"].?numaNode.orValue(0) == 0',
    ),
    Case(
        "CS404",
        "device.attributes[‹'productName'›].string == 'NVIDIA L4'",
        "`productName` is an attribute, and the first key is its domain",
        f"write {A}.productName",
    ),
    Case(
        "CS405",
        "device.attributes[‹'gpu.nvidia.com/productName'›].string == 'NVIDIA L4'",
        "`gpu.nvidia.com/productName` is two keys: the domain and the attribute",
        f"write {A}.productName",
    ),
    Case(
        "CS406",
        "device.attributes.‹gpu.nvidia.com›.productName == 'NVIDIA L4'",
        "`device.attributes.gpu.nvidia.com` is read as one key after the other",
        f"write {A}.productName",
    ),
    Case(
        "CS407",
        "%A.‹memory›.compareTo(quantity('40Gi')) >= 0",
        "`memory` is a capacity, not an attribute",
        f"write {C}.memory",
        "%C.memory.compareTo(quantity('40Gi')) >= 0",
    ),
    Case(
        "CS407",
        "%C.‹driverVersion›.compareTo(quantity('1')) >= 0",
        "`driverVersion` is an attribute, not a capacity",
        f"write {A}.driverVersion",
        "%A.driverVersion.compareTo(semver('570.0.0')) >= 0",
    ),
    Case(
        "CS408",
        "%A.‹architecture› == 'Hopper'",
        "devices of type `vfio` of `gpu.nvidia.com` 0.4.1 do not publish `architecture`, and nothing keeps this from "
        "being read on them",
        f"write {A}.?architecture.orValue(…)",
        "%A.type == 'gpu' && %A.architecture == 'Hopper'",
        EVERY_TYPE,
    ),
    Case(
        "CS409",
        "%A.productName‹.string› == 'NVIDIA L4'",
        "`.string` is how a ResourceSlice writes the value; in CEL `productName` is the value itself",
        f"write {A}.productName",
    ),
    Case(
        "CS410",
        "%A.‹addressingMode› == 'ATS'",
        f"{GPUS} need not publish `addressingMode` (NVML has the call and the platform has a mode)",
        f"write {A}.?addressingMode.orValue(…)",
        "has(%A.addressingMode) && %A.addressingMode == 'ATS'",
    ),
    Case(
        "CS411",
        "%C.‹memory›.compareTo(quantity('40Gi')) >= 0",
        f"every known model publishes `memory`, but {GPUS} need not (NVML reports memory; it does not on unified "
        "memory such as that of GB10)",
        f"write has({C}.memory) && before it",
        "has(%C.memory) && %C.memory.compareTo(quantity('40Gi')) >= 0",
    ),
    Case(
        "CS413",
        "‹%A.driverVersion == '570.0'›",
        "`driverVersion` is a version, for which `==` does not work here",
        f'write {A}.driverVersion == semver("570.0.0")',
        "%A.driverVersion == semver('570.0.0')",
    ),
    Case(
        "CS413",
        "‹%A.driverVersion >= '550'›",
        "`driverVersion` is a version, for which `>=` does not work here",
        f'write {A}.driverVersion.compareTo(semver("550.0.0")) >= 0',
    ),
    Case(
        "CS413",
        "‹%A.driverVersion.startsWith('550')›",
        "`driverVersion` is a version, for which `startsWith` does not work here",
        f"write {A}.driverVersion.major() == 550",
        "%A.driverVersion.major() == 550",
    ),
    Case(
        "CS413",
        "‹%A.?driverVersion.orValue('') == '570.0.0'›",
        "`driverVersion` is a version, for which `==` does not work here",
        f'write {A}.driverVersion == semver("570.0.0")',
    ),
    Case(
        "CS413",
        "cel.bind(a, %A, ‹a.driverVersion == '570.0.0'›)",
        "`driverVersion` is a version, for which `==` does not work here",
        f'write {A}.driverVersion == semver("570.0.0")',
    ),
    Case(
        "CS413",
        "‹%A.productName.isGreaterThan(semver('1.0.0'))›",
        "`productName` is a string, for which `isGreaterThan` does not work here",
        "compare it with text, by ==, in or .matches(…)",
    ),
    Case(
        "CS414",
        "%A.cudaComputeCapability.compareTo(semver(‹'9.0'›)) >= 0",
        "`9.0` is no version: it takes three numbers, without leading zeros",
        "did you mean `9.0.0`?",
        "%A.cudaComputeCapability.compareTo(semver('9.0', true)) >= 0",
    ),
    Case(
        "CS414",
        "has(%C.memory) && %C.memory.compareTo(quantity(‹'40GB'›)) >= 0",
        "`40GB` is no quantity: it takes a number with a suffix such as Gi or G",
        "did you mean `40G`?",
        "has(%C.memory) && %C.memory.compareTo(quantity('40G')) >= 0",
    ),
    Case(
        "CS415",
        "‹%A.productName›",
        "the selector comes to a string, where it must be true or false",
        "compare it with a value",
    ),
    Case(
        "CS416",
        "‹%A.productName.split('-')[9]› == 'x'",
        "this fails on every device that claimsmith knows of: index out of bounds: 9",
        good="%A.productName.split(' ')[0] == 'NVIDIA'",
    ),
    Case(
        "CS420",
        "has(%A.‹arch›) && %A.arch == 'Hopper'",
        f"{GPUS} publish no `arch`, so the guard keeps the selector from ever matching",
        good="has(%A.architecture) && %A.architecture == 'Hopper'",
    ),
    Case(
        "CS420",
        "‹'index'› in %A && %A.index == 0",
        f"{GPUS} publish no `index`: it was removed in 25.8.0, use gpu.nvidia.com/uuid or "
        "resource.kubernetes.io/pciBusID or resource.kubernetes.io/pcieRoot, so the guard keeps the selector from "
        "ever matching",
    ),
    Case(
        "CS421",
        "%A.?‹adressingMode›.orValue('None') != 'HMM'",
        f"{GPUS} publish no `adressingMode`, so this part says nothing about them",
        "did you mean `addressingMode`?",
        "%A.?addressingMode.orValue('None') != 'HMM'",
    ),
    Case(
        "CS422",
        "%A.?‹foo›.orValue('none') == 'none'",
        f"{GPUS} publish no `foo`, so this part says nothing about them",
    ),
    Case(
        "CS501",
        "%A.architecture == ‹'hopper'›",
        "no device has `architecture` `hopper`",
        f"did you mean `Hopper`? {ARCHITECTURES}",
        "%A.architecture == 'Hopper'",
    ),
    Case(
        "CS504",
        "device.driver == 'gpu.nvidia.com' && ‹device.driver == 'gpu.amd.com'›",
        "no device of type `gpu` of `gpu.nvidia.com` 0.4.1 is ever true for this",
    ),
    Case(
        "CS504",
        "%A.architecture == 'Hopper' && ‹%A.architecture == 'Ampere'›",
        "no device of type `gpu` of `gpu.nvidia.com` 0.4.1 is ever true for this, since "
        f"`{A}.architecture == 'Hopper'` excludes it",
        good="%A.architecture == 'Hopper' || %A.architecture == 'Ampere'",
    ),
    Case(
        "CS504",
        "%A.driverVersion.isGreaterThan(semver('580.0.0')) && ‹%A.driverVersion.isLessThan(semver('570.0.0'))›",
        "no device of type `gpu` of `gpu.nvidia.com` 0.4.1 is ever true for this, since "
        f"`{A}.driverVersion.isGreaterThan(semver('580.0.0'))` excludes it",
        good="%A.driverVersion.isGreaterThan(semver('570.0.0')) && %A.driverVersion.isLessThan(semver('580.0.0'))",
    ),
    Case(
        "CS505",
        "%A.productName == '‹{{ .Values.model }}›'",
        "`{{ .Values.model }}` is a template that nobody has filled in",
        "render it first, or quote it so that the template engine sees it",
        "%A.productName == 'NVIDIA L4' // {{ .Values.model }}",
    ),
    Case(
        "CS506",
        'device.attributes["dra.net"].rdma == ‹"true"›',
        "`rdma` is a bool and never equals the string `true`",
        "write true without quotes",
        'device.attributes["dra.net"].rdma == true',
        DRANET,
    ),
    Case(
        "CS516",
        'device.attributes["dra.net"].rdma != ‹"true"›',
        "`rdma` is a bool and never equals the string `true`, so this comparison is always the same",
        "write true without quotes",
        'device.attributes["dra.net"].rdma != true',
        DRANET,
    ),
    Case(
        "CS507",
        "%A.productName == ‹'NVIDIA-H100-80GB-HBM3'›",
        "no known model of `gpu.nvidia.com` is true for this: `NVIDIA-H100-80GB-HBM3` is not the name of one",
        "did you mean `NVIDIA H100 80GB HBM3`?",
        "%A.productName == 'NVIDIA H100 80GB HBM3'",
    ),
    Case(
        "CS507",
        "%A.productName == ‹'NVIDIA L4 '›",
        "no known model of `gpu.nvidia.com` is true for this: `NVIDIA L4 ` is not the name of one",
        "did you mean `NVIDIA L4`?",
    ),
    Case(
        "CS507",
        "%A.productName.matches(‹'^.*h100.*$'›)",
        "no known model of `gpu.nvidia.com` is true for this: no name matches `^.*h100.*$`",
        good="%A.productName.lowerAscii().matches('^.*h100.*$')",
    ),
    Case(
        "CS508",
        "‹%A.type == 'gpu'›",
        "every device of type `gpu` of `gpu.nvidia.com` 0.4.1 is true for this",
        good="%A.architecture == 'Hopper'",
    ),
    Case(
        "CS509",
        "%A.productName.contains(‹'H20'›)",
        "`H20` is also a part of H200-141GB, GH200-96GB",
        "compare whole product names, or add what tells them apart",
        "%A.productName.contains('H200') && !%A.productName.contains('GH200')",
    ),
    Case(
        "CS513",
        "has(%C.memory) && ‹%C.memory == quantity('80Gi')›",
        "`memory` is compared for equality, and cards of one size publish different amounts",
        "compare with .compareTo(quantity(…)) >= 0",
    ),
    Case(
        "CS514",
        "has(%C.memory) && ‹%C.memory.compareTo(quantity('80Gi')) >= 0›",
        "`memory` >= 80Gi leaves out H100-80GB (81559Mi)",
        'write .compareTo(quantity("79Gi")) >= 0 to include it',
        "has(%C.memory) && %C.memory.compareTo(quantity('79Gi')) >= 0",
    ),
    Case(
        "CS515",
        "%A.architecture != ‹'hopper'›",
        "no device has `architecture` `hopper`, so this comparison is always the same",
        f"did you mean `Hopper`? {ARCHITECTURES}",
        "%A.architecture != 'Hopper'",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule} {case.bad}")
def test_what_the_reader_is_told(case: Case) -> None:
    marked = text(case.bad)
    plain = marked.replace("‹", "").replace("›", "")
    found = [each for each in check_selector(plain, case.setting) if each.rule == case.rule]
    words = rule(case.rule)
    assert [
        (each.place.start, each.place.end, words.render_message(each.data), words.render_help(each.data))
        for each in found
    ] == [(marked.index("‹"), marked.index("›") - 1, case.message, case.help)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule} {case.good}")
def test_its_good_twin(case: Case) -> None:
    found = {each.rule for each in check_selector(text(case.good), case.setting)}
    assert case.rule not in found or (case.rule, case.good) == ("CS508", "true")
    assert {each for each in found if rule(each).severity is Severity.ERROR} == set()


def test_a_class_that_does_not_name_its_driver() -> None:
    view = CATALOGUE.view("gpu.nvidia.com", "0.4.1", {})
    assert view is not None
    setting = Setting(target(), (*kinds_of(view), FOREIGN), of_class=True)
    [found] = check_selector(text("%A.type == 'gpu'"), setting)
    words = rule("CS412")
    assert (found.rule, words.render_message(found.data), words.render_help(found.data)) == (
        "CS412",
        "this fails on the devices of every other driver, which do not publish `gpu.nvidia.com/type`",
        'put `device.driver == "gpu.nvidia.com" &&` before it',
    )
    assert check_selector(text("device.driver == 'gpu.nvidia.com' && %A.type == 'gpu'"), setting) == []


def test_selectors_are_tried_in_order() -> None:
    """What an earlier selector keeps out is never read by a later one."""
    texts = [text("%A.type == 'gpu'"), text("%A.architecture == 'Hopper'")]
    first, second = check_selectors(texts, EVERY_TYPE)
    assert (first, second) == ([], [])
    second, first = check_selectors(texts[::-1], EVERY_TYPE)
    assert [each.rule for each in second] == ["CS408"]


@pytest.mark.parametrize(
    "selector",
    [
        "%A.anything == 'x'",
        'device.attributes["x.example.com"].y.string == "z"',
        "device.driver == 'nvidia.com/gpu'",
        "%A.productName == 'H100'",
    ],
)
def test_nothing_is_said_where_nothing_is_known(selector: str) -> None:
    assert check_selector(text(selector), Setting(target())) == []


def test_open_schemas_allow_other_attributes() -> None:
    setting = under_class("neuron.aws.com", "unreleased", 'device.driver == "neuron.aws.com"')
    assert check_selector('device.attributes["neuron.aws.com"].somethingNew == "x"', setting) == []


def test_a_literal_that_no_device_could_read() -> None:
    [found] = check_selector("device.attributes['a.b'].c.isGreaterThan(semver('9'))", Setting(target()))
    assert (found.rule, found.data["did_you_mean"]) == ("CS414", "9.0.0")
