"""The part of GitHub's REST API that the workflows use, on loopback.

https://docs.github.com/en/rest: pages of at most 100, refusals of a token that is wrong, a redirect to the
store of artifacts, an issue's list that holds pull requests too.
"""

import io
import itertools
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, redirect, request

from tests.workflows.workflow_files import Ended, run_step

REPOSITORY = "someone/fork"
TOKEN = "token-of-this-job"
BOT = "github-actions[bot]"
_LONGEST_BODY = 65_536
_LARGEST_PAGE = 100


@dataclass(frozen=True)
class Request:
    """One request that has arrived."""

    method: str
    path: str
    is_authorized: bool


@dataclass
class Refusal:
    """How the next request of a method and the end of its path is answered instead."""

    method: str
    end: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    meanwhile: Callable[[], None] = lambda: None
    """What somebody else does at that moment."""


@dataclass
class FakeGitHub:
    """One repository."""

    url: str = ""
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    files: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    issues: list[dict[str, Any]] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    store: dict[int, bytes] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1000))

    def upload(self, name: str, content: bytes, *, size: int | None = None) -> None:
        """An artifact of the run; its size as the API says it."""
        number = next(self._ids)
        self.store[number] = content
        size = len(content) if size is None else size
        self.artifacts.append({"id": number, "name": name, "size_in_bytes": size, "expired": False})

    def comment(self, pull: int, body: str, author: str = BOT) -> dict[str, Any]:
        """Somebody writes a comment."""
        made = {"id": next(self._ids), "body": body, "user": {"login": author}}
        self.comments.setdefault(pull, []).append(made)
        return made

    def open_issue(self, body: str, author: str = BOT, **rest: Any) -> dict[str, Any]:
        """Somebody opens an issue."""
        number = next(self._ids)
        made = {"number": number, "title": "", "body": body, "user": {"login": author}, "state": "open"}
        self.issues.append(made | rest)
        return self.issues[-1]

    def sent(self, method: str) -> list[str]:
        """The paths of all requests of a method."""
        return [each.path for each in self.requests if each.method == method]

    def refusal(self) -> Response | None:
        """The answer planned for this request, once."""
        for planned in self.refusals:
            if request.method == planned.method and request.path.endswith(planned.end):
                self.refusals.remove(planned)
                planned.meanwhile()
                answer = jsonify(message=planned.words)
                answer.status_code = planned.status
                answer.headers.extend(planned.headers)
                return answer
        return None


_OWN = f"/repos/{REPOSITORY}"


def application(github: FakeGitHub) -> Flask:
    """The API of the repository."""
    app = Flask("fake_github")

    @app.before_request
    def arrive() -> Response | tuple[str, int] | None:
        is_authorized = request.headers.get("Authorization") == f"Bearer {TOKEN}"
        github.requests.append(Request(request.method, request.path, is_authorized))
        if request.path.startswith("/repos/") and not is_authorized:
            return "Requires authentication", 401
        return github.refusal()

    @app.get(f"{_OWN}/actions/runs/<int:run>/artifacts")
    def artifacts(run: int) -> Response:
        return jsonify(total_count=len(github.artifacts), artifacts=github.artifacts)

    @app.get(f"{_OWN}/actions/artifacts/<int:number>/zip")
    def artifact(number: int) -> Any:
        return redirect(f"/store/{number}")

    @app.get("/store/<int:number>")
    def stored(number: int) -> Response:
        return Response(github.store[number], mimetype="application/zip")

    @app.get(f"{_OWN}/pulls/<int:number>")
    def pull(number: int) -> Any:
        found = github.pulls.get(number)
        return jsonify(found) if found else (jsonify(message="Not Found"), 404)

    @app.get(f"{_OWN}/pulls/<int:number>/files")
    def files(number: int) -> Response:
        return _page(github.files.get(number, []))

    _serve_comments(app, github)
    _serve_issues(app, github)
    return app


def _serve_comments(app: Flask, github: FakeGitHub) -> None:
    @app.get(f"{_OWN}/issues/<int:number>/comments")
    def comments(number: int) -> Response:
        return _page(github.comments.get(number, []))

    @app.post(f"{_OWN}/issues/<int:number>/comments")
    def create_comment(number: int) -> Any:
        body = request.get_json()["body"]
        if len(body) > _LONGEST_BODY:
            return jsonify(message="Body is too long"), 422
        return jsonify(github.comment(number, body)), 201

    @app.patch(f"{_OWN}/issues/comments/<int:number>")
    def edit_comment(number: int) -> Response:
        [found] = [each for listed in github.comments.values() for each in listed if each["id"] == number]
        found.update(request.get_json())
        return jsonify(found)


def _serve_issues(app: Flask, github: FakeGitHub) -> None:
    @app.get(f"{_OWN}/issues")
    def issues() -> Response:
        wanted = request.args["state"], request.args["creator"]
        return _page([each for each in github.issues if (each["state"], each["user"]["login"]) == wanted])

    @app.post(f"{_OWN}/issues")
    def create_issue() -> Any:
        return jsonify(github.open_issue(**request.get_json())), 201

    @app.patch(f"{_OWN}/issues/<int:number>")
    def edit_issue(number: int) -> Response:
        [found] = [each for each in github.issues if each["number"] == number]
        found.update(request.get_json())
        return jsonify(found)


def _page(entries: list[dict[str, Any]]) -> Response:
    size = min(int(request.args.get("per_page", "30")), _LARGEST_PAGE)
    start = (int(request.args.get("page", "1")) - 1) * size
    return jsonify(entries[start : start + size])


PULL = 7
HEAD = "1f" * 20
FORK = 4711
RUN_URL = f"https://github.com/{REPOSITORY}/actions/runs/500"


@dataclass
class PreviewRun:
    """One attempt of one run, for pull request 7."""

    github: FakeGitHub
    folder: Path
    run: int = 500
    attempt: int = 1

    def opens(self, *files: str) -> None:
        """Somebody opens the pull request with these files changed."""
        self.github.pulls[PULL] = {
            "number": PULL,
            "state": "open",
            "changed_files": len(files),
            "head": {"sha": HEAD, "ref": "faster", "repo": {"id": FORK}},
        }
        self.github.files[PULL] = [{"filename": name} for name in files]

    def uploads(self, text: str, **details: Any) -> None:
        """The preview uploads what it has to say."""
        content = {"number": PULL} | details
        self.github.upload("comment", zipped({"comment.md": text, "pull-request.json": json.dumps(content)}))

    def comments(self) -> Ended:
        """The comment's workflow runs."""
        event = {
            "workflow_run": {
                "id": self.run,
                "run_attempt": self.attempt,
                "head_sha": HEAD,
                "head_branch": "faster",
                "head_repository": {"id": FORK},
                "html_url": RUN_URL,
            }
        }
        file = self.folder / "event.json"
        file.write_text(json.dumps(event))
        environment = {
            "GITHUB_API_URL": self.github.url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_EVENT_PATH": str(file),
        }
        contexts = {"github.token": TOKEN}
        return run_step("comment.yml", "Write the comment", self.folder, environment, contexts)

    @property
    def bodies(self) -> list[str]:
        """The text of every comment of the pull request."""
        return [each["body"] for each in self.github.comments.get(PULL, [])]


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """An artifact as GitHub gives it out."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()
