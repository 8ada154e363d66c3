"""Small git repositories of a test, and sides of a comparison in them."""

import os
import subprocess
from pathlib import Path

_IDENTITY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


class MadeRepository:
    """A repository with a branch `main`."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True)
        self.root = root
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.root,
            env=os.environ | _IDENTITY,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout.strip()

    def write(self, **files: str) -> None:
        """Write files; `__` in a name stands for a folder, and the ending is .yaml."""
        for name, text in files.items():
            file = self.root / f"{name.replace('__', '/')}.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def commit(self, **files: str) -> str:
        """Commit these files with all others that changed, and return the commit."""
        self.write(**files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")
        return self.git("rev-parse", "HEAD")


MAIN = """
import json, os, sys
from pathlib import Path

def main():
    arguments = sys.argv[1:]
    over = None
    if "--over" in arguments:
        over = json.loads(Path(arguments[arguments.index("--over") + 1]).read_text())
    names = [each for each in arguments[1:] if not each.startswith("--") and not each.startswith("/")]
    {body}
    said = {{
        "names": names,
        "over": None if over is None else [each["name"] for each in over["unread"]],
        "environment": dict(os.environ),
        "home": os.listdir(os.environ["HOME"]),
        "text": Path("Pulumi.dev.yaml").read_text() if Path("Pulumi.dev.yaml").exists() else "",
    }}
    unread = [{{"name": name, "reason": json.dumps(said)}} for name in names]
    print(json.dumps({{
        "schemaVersion": 1, "label": "x", "commit": None, "notes": [], "recorded": [], "unread": unread
    }}))
"""
"""What the command is told comes back as the reason of every stack."""


def write_code(root: Path, body: str = "pass") -> None:
    """Write the code of a side into a folder."""
    for name in ("cli", "stacks"):
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / name / "__init__.py").touch()
    (root / "cli/main.py").write_text(MAIN.format(body=body))
    (root / "cli/record.py").touch()
    (root / "requirements.txt").write_text("# nothing\n")
    (root / "Pulumi.yaml").write_text("name: dynamo-stack\n")


def commit_side(repository: MadeRepository, stack: str = "a: 1\n", body: str = "pass") -> str:
    """Commit a side with one stack, dev."""
    write_code(repository.root, body)
    (repository.root / "Pulumi.dev.yaml").write_text(stack)
    return repository.commit()
