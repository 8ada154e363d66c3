"""What the kernel lets ranks of one worker do to each other's descriptors, tried with processes here.

On x86 TensorRT-LLM opens its neighbours' GPU memory with pidfd_getfd (tensorrt_llm/_mnnvl_utils.py). The
kernel here stands for a node's; seccomp is a filter that answers as containerd's default does without
SYS_PTRACE.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import AGGREGATED, placed_recipe

YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")

# Two siblings of one ordinary user; the second one asks for a descriptor of the first.
SIBLINGS = """
import ctypes, errno, os, platform, struct, sys

forbidden = sys.argv[1] == "forbidden"
libc = ctypes.CDLL(None, use_errno=True)
GETFD, SET_DUMPABLE, NO_NEW_PRIVS, SECCOMP = 438, 4, 38, 22


def become_ordinary():
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(1000, 1000, 1000)
        os.setresuid(1000, 1000, 1000)
    libc.prctl(SET_DUMPABLE, 1, 0, 0, 0)


def forbid():
    load = struct.pack("HBBI", 0x20, 0, 0, 0)  # the number of the call
    is_it = struct.pack("HBBI", 0x15, 0, 1, GETFD)
    refuse = struct.pack("HBBI", 0x06, 0, 0, 0x00050000 | errno.EPERM)
    allow = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
    code = ctypes.create_string_buffer(load + is_it + refuse + allow)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(code)))
    assert libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(SECCOMP, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0) == 0


says, said = os.pipe()
holds, held = os.pipe()
neighbour = os.fork()
if neighbour == 0:
    os.close(held)
    become_ordinary()
    os.write(said, str(os.open("/dev/null", os.O_RDONLY)).encode())
    os.read(holds, 1)  # until the test is over
    os._exit(0)
descriptor = int(os.read(says, 16))
asking = os.fork()
if asking == 0:
    become_ordinary()
    if forbidden:
        forbid()
    opened = libc.syscall(GETFD, os.pidfd_open(neighbour), descriptor, 0)
    print("allowed" if opened >= 0 else errno.errorcode[ctypes.get_errno()], flush=True)
    os._exit(0)
os.waitpid(asking, 0)
os.close(held)
os.waitpid(neighbour, 0)
"""


def _asked(profile: str) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", SIBLINGS, profile], capture_output=True, text=True, timeout=30, check=True
    )
    return answer.stdout.strip()


def test_ranks_of_one_user_open_each_others_descriptors_unless_yama_says_no() -> None:
    scope = int(YAMA.read_text(encoding="ascii")) if YAMA.exists() else 0
    assert _asked("no profile") == ("allowed" if scope == 0 else "EPERM")


def test_a_seccomp_profile_that_lacks_the_call_keeps_them_apart() -> None:
    assert _asked("forbidden") == "EPERM"


def test_the_ranks_of_a_worker_are_one_user_without_a_profile() -> None:
    placed = placed_recipe(AGGREGATED)
    pod = pods_of(graph_spec(placed, engine_files(placed).name))["TrtllmWorker"]
    assert main_of(pod)["securityContext"]["runAsUser"] == 1000
    assert "seccompProfile" not in str(pod)


@pytest.mark.parametrize("needed", ["SYS_PTRACE", "kernel.yama.ptrace_scope", "seccompDefault"])
def test_the_guide_names_what_decides(needed: str) -> None:
    guide = Path(__file__).parents[2] / "docs" / "which-recipe.md"
    assert needed in guide.read_text(encoding="utf-8")
