"""What the kernel lets ranks of one worker do to each other's descriptors, tried with processes here.

On x86 TensorRT-LLM opens its neighbours' GPU memory with pidfd_getfd (tensorrt_llm/_mnnvl_utils.py). The
kernel here stands for a node's; seccomp is a filter that answers as containerd's default does without
SYS_PTRACE. Capabilities are tried between two users, where a kernel without Yama asks for SYS_PTRACE too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import AGGREGATED, placed_recipe

YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
NEEDS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root may start processes of several users")

# Two siblings; the second one asks for a descriptor of the first, which is an ordinary user's.
SIBLINGS = """
import ctypes, errno, os, platform, struct, sys

profile, neighbours_user, capabilities = sys.argv[1], int(sys.argv[2]), sys.argv[3]
libc = ctypes.CDLL(None, use_errno=True)
GETFD, SET_DUMPABLE, NO_NEW_PRIVS, SECCOMP = 438, 4, 38, 22
SYS_PTRACE, CAPABILITY_VERSION = 1 << 19, 0x20080522


def become_ordinary(user):
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    libc.prctl(SET_DUMPABLE, 1, 0, 0, 0)


def stay_root_with(kept):
    halves = kept & 0xFFFFFFFF, kept >> 32
    data = [number for half in halves for number in (half, half, 0)]  # effective, permitted, inheritable
    assert libc.capset(struct.pack("Ii", CAPABILITY_VERSION, 0), struct.pack("6I", *data)) == 0


def all_but(left_out):
    with open("/proc/self/status") as status:
        [had] = [line.split()[1] for line in status if line.startswith("CapEff")]
    return int(had, 16) & ~left_out


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
    become_ordinary(neighbours_user)
    os.write(said, str(os.open("/dev/null", os.O_RDONLY)).encode())
    os.read(holds, 1)  # until the test is over
    os._exit(0)
descriptor = int(os.read(says, 16))
asking = os.fork()
if asking == 0:
    if capabilities == "SYS_PTRACE":
        stay_root_with(SYS_PTRACE)
    elif capabilities == "all others":
        stay_root_with(all_but(SYS_PTRACE))
    else:
        become_ordinary(1000)
    if profile == "forbidden":
        forbid()
    opened = libc.syscall(GETFD, os.pidfd_open(neighbour), descriptor, 0)
    print("allowed" if opened >= 0 else errno.errorcode[ctypes.get_errno()], flush=True)
    os._exit(0)
os.waitpid(asking, 0)
os.close(held)
os.waitpid(neighbour, 0)
"""


def _asked(profile: str, neighbours_user: int = 1000, capabilities: str = "none") -> str:
    command = [sys.executable, "-c", SIBLINGS, profile, str(neighbours_user), capabilities]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    return answer.stdout.strip()


def _yama() -> int:
    return int(YAMA.read_text(encoding="ascii")) if YAMA.exists() else 0


def _may_trace() -> bool:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [held] = [line.split()[1] for line in status.splitlines() if line.startswith("CapEff")]
    return bool(int(held, 16) >> 19 & 1)


def test_ranks_of_one_user_open_each_others_descriptors_unless_yama_says_no() -> None:
    assert _asked("no profile") == ("allowed" if _yama() == 0 else "EPERM")


@NEEDS_ROOT
def test_ranks_of_two_users_open_nothing_of_each_other() -> None:
    assert _asked("no profile", neighbours_user=1001) == "EPERM"


@NEEDS_ROOT
def test_root_opens_descriptors_of_another_user_with_sys_ptrace_and_no_other_capability() -> None:
    if not _may_trace():
        pytest.skip("root has no SYS_PTRACE here, as in a container without it")
    expected = "allowed" if _yama() < 3 else "EPERM"
    assert _asked("no profile", neighbours_user=1001, capabilities="SYS_PTRACE") == expected


@NEEDS_ROOT
def test_root_with_every_capability_but_sys_ptrace_opens_nothing_of_another_user() -> None:
    assert _asked("no profile", neighbours_user=1001, capabilities="all others") == "EPERM"


def test_a_seccomp_profile_that_lacks_the_call_keeps_them_apart() -> None:
    assert _asked("forbidden") == "EPERM"


def test_the_ranks_of_a_worker_are_one_user_without_a_profile() -> None:
    placed = placed_recipe(AGGREGATED)
    pod = pods_of(graph_spec(placed, engine_files(placed).name))["TrtllmWorker"]
    assert main_of(pod)["securityContext"]["runAsUser"] == 1000
    assert "seccompProfile" not in str(pod)


@pytest.mark.parametrize(
    "needed", ["SYS_PTRACE", "kernel.yama.ptrace_scope", "seccompDefault", "1 to 3 are read, not tried"]
)
def test_the_guide_names_what_decides(needed: str) -> None:
    guide = Path(__file__).parents[2] / "docs" / "which-recipe.md"
    assert needed in guide.read_text(encoding="utf-8")
