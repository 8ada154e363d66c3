"""All questions about one plan."""

from collections.abc import Callable, Iterator

from components.purchase import CapacityBlock, Reservation
from operations.preflight.account import Account
from operations.preflight.addons import addon_answers, addon_question
from operations.preflight.answers import Answer, Verdict, good, unknown, wrong
from operations.preflight.asking import Unanswered
from operations.preflight.capacity import capacity_answers
from operations.preflight.quotas import address_quota, gpu_quota, network_quota
from operations.preflight.zones import zone_answers
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes


def answers(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """Ask everything; where AWS does not say, the answer is unknown.

    With credentials of another account nothing more is asked: every answer would be about that one.
    """
    identity = list(_guarded("account", lambda: _identity(plan, account)))
    yield from identity
    if any(answer.verdict is Verdict.WRONG for answer in identity):
        return
    yield from _guarded("zones", lambda: zone_answers(plan, account))
    yield from _guarded(_system(plan), lambda: _system_offered(plan, account))
    yield from _guarded(addon_question(plan), lambda: addon_answers(plan, account))
    for nodes in plan.gpu_nodes:
        yield from _guarded(_offer(nodes), lambda each=nodes: _offered(each, account))
        yield from _guarded(f"pool {nodes.pool.name}: capacity", lambda each=nodes: _capacity(each, account))
    yield from _guarded("quota: P instances", lambda: gpu_quota(plan, account))
    yield from _guarded("quota: VPCs", lambda: network_quota(plan, account))
    yield from _guarded("quota: elastic IPs", lambda: address_quota(plan, account))


def _guarded(question: str, ask: Callable[[], Iterator[Answer]]) -> Iterator[Answer]:
    try:
        yield from ask()
    except Unanswered as reason:
        yield unknown(question, str(reason))


def _identity(plan: EksPlan, account: Account) -> Iterator[Answer]:
    found = account.id()
    if found == plan.account_id:
        yield good("account", f"{found}, {plan.region}")
        return
    yield wrong("account", f"the credentials are of {found}", f"credentials of {plan.account_id}")


def _system(plan: EksPlan) -> str:
    return f"system nodes: {plan.system_nodes.instance_type}"


def _system_offered(plan: EksPlan, account: Account) -> Iterator[Answer]:
    wanted = plan.network.control_plane
    offered = account.offered_in(plan.system_nodes.instance_type)
    missing = [zone for zone in wanted if zone not in offered]
    if not missing:
        yield good(_system(plan), f"offered in {', '.join(wanted)}")
        return
    fix = "cluster.systemNodes.instanceType: another one, or zones that have it"
    yield wrong(_system(plan), f"not offered in {', '.join(missing)}", fix)


def _offer(nodes: PlannedNodes) -> str:
    return f"pool {nodes.pool.name}: {nodes.pool.instance_type.name} in {nodes.zone.name}"


def _offered(nodes: PlannedNodes, account: Account) -> Iterator[Answer]:
    question, zone = _offer(nodes), nodes.zone
    if zone.is_local and account.zone_opted_in(zone.name) == "not-opted-in":
        # EC2 lists no offers of a zone that the account does not see.
        yield good(question, f"`up` opts in to zone group {zone.group}; ask again after it")
        return
    zones = account.offered_in(nodes.pool.instance_type.name)
    if zone.name in zones:
        yield good(question, "offered")
        return
    offered = ", ".join(sorted(zones))
    fix = f"nodePools[].zone: one of {offered}" if zones else "another cluster.region: this one has none"
    yield wrong(question, "not offered", fix)


def _capacity(nodes: PlannedNodes, account: Account) -> Iterator[Answer]:
    purchase = nodes.purchase
    if isinstance(purchase, CapacityBlock | Reservation):
        found = account.reservation(purchase.id)
        yield from capacity_answers(nodes, found, account.now())
