"""What one node of a pool is: an EC2 instance type, or what the settings describe."""

from collections.abc import Iterator

from hardware import ACCELERATORS, INSTANCE_TYPES, Accelerator, InstanceType, described_node
from resource_graph.spelling import nearest
from stacks.errors import Problem, unknown_name
from stacks.plan.volume_sizes import size_in_gib
from stacks.settings.stack import NodePoolSettings, NodeSettings
from stacks.wording import alternatives

PRODUCT_LABEL = "nvidia.com/gpu.product"
ARCHITECTURE_LABEL = "kubernetes.io/arch"

# Its name stands in AWS' guides, but neither processors, memory, network cards nor prices do
# (NVIDIA/aicr#1410, read 2026-06-23; EC2 DescribeInstanceTypes of 2026-08).
_WITHOUT_SPECIFICATION = "p6e-gb300.36xlarge"


def node_of(wanted: NodePoolSettings, key: str) -> tuple[InstanceType | None, tuple[Problem, ...]]:
    """Return what a node of the pool is, or why nobody can know it.

    Args:
        wanted: settings of the pool.
        key: of the pool, for messages.

    """
    if wanted.node is None:
        return _instance_type(wanted.instance_type, key)
    if wanted.instance_type is not None:
        message = "says what the nodes are, and so does node"
        suggestion = "leave one of them out"
        return None, (Problem(f"{key}.instanceType", wanted.instance_type, message, suggestion=suggestion),)
    return _described(wanted.node, f"{key}.node")


def _instance_type(name: str | None, key: str) -> tuple[InstanceType | None, tuple[Problem, ...]]:
    known = INSTANCE_TYPES.get(name or "")
    if known is not None:
        return known, ()
    allowed, suggestion = ", ".join(INSTANCE_TYPES), nearest(name or "", INSTANCE_TYPES)
    message = "not an instance type whose GPUs are known here"
    if name is None:
        message = "is missing: an EC2 instance type, or node, which describes the pool's nodes"
    elif name == _WITHOUT_SPECIFICATION:
        message = (
            "AWS publishes neither its processors and memory nor its network cards, so nothing can be sized"
        )
        suggestion = "node with accelerator GB300 on an existing cluster; `dynamo-stack pools` prints it"
    return None, (Problem(f"{key}.instanceType", name, message, allowed=allowed, suggestion=suggestion),)


def _described(node: NodeSettings, key: str) -> tuple[InstanceType | None, tuple[Problem, ...]]:
    accelerator = ACCELERATORS.get(node.accelerator)
    if accelerator is None:
        message = "not a GPU that is known here"
        return None, (unknown_name(f"{key}.accelerator", node.accelerator, message, ACCELERATORS),)
    problems = tuple(_contradictions(node, accelerator, key))
    if problems:
        return None, problems
    described = described_node(
        accelerator,
        gpus=node.gpus,
        vcpus=node.cpu,
        memory_gib=size_in_gib(node.memory),
        nvlink_domain_gpus=node.nvlink_domain_gpus or node.gpus,
    )
    return described, ()


def _contradictions(node: NodeSettings, accelerator: Accelerator, key: str) -> Iterator[Problem]:
    host = accelerator.host
    if node.architecture != host.cpu_architecture:
        message = f"{accelerator.name} is in {host.cpu_architecture} machines alone"
        yield Problem(f"{key}.architecture", node.architecture, message, allowed=host.cpu_architecture)
    if node.gpus not in host.gpu_counts:
        message = f"no machine has that many {accelerator.name}"
        allowed = alternatives([str(count) for count in host.gpu_counts])
        yield Problem(f"{key}.gpus", node.gpus, message, allowed=allowed)
    else:
        yield from _domain_problems(node, accelerator, f"{key}.nvlinkDomainGpus")


def _domain_problems(node: NodeSettings, accelerator: Accelerator, key: str) -> Iterator[Problem]:
    host, domain = accelerator.host, node.nvlink_domain_gpus
    if domain is None:
        if host.nvlink_crosses_nodes:
            message = (
                f"is missing: NVLink of {accelerator.name} can cross nodes, which decides how workers start"
            )
            allowed = f"{node.gpus} where nothing joins the nodes, or the GPUs of the rack, such as 36 or 72"
            yield Problem(key, None, message, allowed=allowed)
        return
    most = host.nvlink_domain_gpus if host.nvlink_crosses_nodes else node.gpus
    if domain % node.gpus or domain > most:
        allowed = f"{node.gpus}, or a multiple up to {most}" if most > node.gpus else str(node.gpus)
        message = f"no NVLink domain of {accelerator.name} has that many GPUs"
        yield Problem(key, domain, message, allowed=allowed)
