"""What the rules say in the API server's words, asked of a real one."""

from pathlib import Path

import pytest
import yaml

from tests.rules.bases import BASES
from tests.rules.case import RULE, base_text, failed, judge_case
from tests.rules.cases import structure, structure_amounts, structure_pods
from tests.rules.cases.structure import VALUES
from tests.rules.edits import edited
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab

REFUSED = [
    case
    for case in (*structure.CASES, *structure_amounts.CASES, *structure_pods.CASES)
    if (case.rule, case.base) == (VALUES, "vllm-serve") and case.found == failed(VALUES, "vllm-serve")
]


def test_the_api_server_refuses_a_workload_in_the_words_of_the_finding(
    lab: Sandbox, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, case in enumerate(REFUSED):
        with subtests.test(case.name):
            folder = tmp_path / str(number)
            folder.mkdir()
            [finding] = judge_case(case, folder, BASES[case.base], RULE[VALUES]).findings
            _, _, words = finding.observation.message.partition("the API server: ")
            text = edited(base_text(case.base, BASES[case.base]), case.edits)
            kinds = {"Deployment", "Service", "HorizontalPodAutoscaler"}
            objects = [each for each in yaml.safe_load_all(text) if each["kind"] in kinds]
            for each in objects:
                each["metadata"]["namespace"] = "default"
            command = ("create", "--dry-run=server", "-f", "-")
            refused = lab.kubectl(*command, stdin=yaml.safe_dump_all(objects), check=False)
            assert refused.returncode != 0
            assert words in refused.stderr
