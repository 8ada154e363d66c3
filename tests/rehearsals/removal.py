"""The end of every stack that makes its own cluster: protected first, then gone but for what is listed."""

import re

from lab.account_contents import found_in
from lab.directory import REPOSITORY
from tests.rehearsals.shipped import Shipped
from tests.support.runbook import commands, typed

_RETAINED = re.compile(r"^ +(\w.*?): ", re.MULTILINE)


class Removal:
    """Inherited by the last tests of each stack."""

    def test_destroy_of_what_is_protected_is_refused_before_anything_goes(self, shipped: Shipped) -> None:
        before, account = shipped.stack.urns(), found_in(shipped.run.lab)
        said = shipped.stack.failing("destroy", "--yes")
        assert said.count("cannot be deleted") >= 1
        assert "because it is protected" in said
        assert shipped.stack.urns() == before
        assert found_in(shipped.run.lab) == account

    def test_what_lifts_the_protection_lets_destroy_leave_exactly_what_explain_lists(
        self, shipped: Shipped
    ) -> None:
        name = shipped.expected.stack
        screen = shipped.stack.dynamo_stack("explain", name, "--all").stdout
        listed = set(_RETAINED.findall(re.split(r"\n(?=\S)", screen.partition("\nRETAINED ")[2])[0]))
        assert listed
        lift, apply, destroy, *_ = commands("destroy-a-cluster")
        typed(shipped.stack, lift)
        typed(shipped.stack, apply)
        assert shipped.stack.changes().keys() == {"update"}
        typed(shipped.stack, destroy)
        created = shipped.built["up"].changes
        assert shipped.stack.changes() == {"delete": int(created.removesuffix(" create"))}
        assert found_in(shipped.run.lab) == listed
        assert (REPOSITORY / f"Pulumi.{name}.yaml").read_bytes() == shipped.file
