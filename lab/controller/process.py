"""How a stand-in controller's process begins and ends."""

from __future__ import annotations

import argparse
import asyncio
import concurrent.futures
import itertools
import logging
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import kopf

from lab.controller.connection import connect
from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from lab.controller.api import KubernetesApi

# A lab that ended by force leaves its stand-ins behind; without this they would run for ever.
CLUSTER_GONE_SECONDS = 60.0
_PROBE_SECONDS = 5.0
_KOPF_SECONDS = 0.5
_WATCH_AGAIN_SECONDS = 1.0
_ENDING_SECONDS = 1.5
_REFUSED = 2


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """--kubeconfig and --context, to which a controller adds its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--context", required=True)
    return parser


@dataclass(frozen=True)
class Session:
    """What a controller's work gets: the way to its cluster, and a future that is done when it must end."""

    connection: kopf.ConnectionInfo
    stop: concurrent.futures.Future[None]


def run(arguments: argparse.Namespace, work: Callable[[Session], Coroutine[None, None, None]]) -> int:
    """Runs the controller until SIGTERM, SIGINT or the end of its cluster; returns the exit code."""
    logging.basicConfig(
        stream=sys.stdout, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("lab").setLevel(logging.INFO)
    # Its tracebacks of a lost connection belong to the watch that it renews by itself.
    logging.getLogger("kopf").setLevel(logging.CRITICAL)
    try:
        connection = connect(arguments.kubeconfig, arguments.context)
    except LabError as refusal:
        sys.stderr.write(f"{refusal}\n")
        return _REFUSED
    return _run_in_thread(Session(connection, concurrent.futures.Future()), work)


def _run_in_thread(session: Session, work: Callable[[Session], Coroutine[None, None, None]]) -> int:
    """In the main thread kopf takes the signals for itself and, while it starts, may not end for long."""
    ending = threading.Event()
    failures: list[BaseException] = []

    def end(*_: object) -> None:
        # Reads that kopf has begun meet a closed connection now, and nobody asks how they ended.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        if not session.stop.done():
            session.stop.set_result(None)
        ending.set()

    def target() -> None:
        try:
            asyncio.run(work(session))
        except BaseException as failure:  # told of below, in the main thread
            failures.append(failure)
        ending.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    ending.wait()
    thread.join(_ENDING_SECONDS)
    if thread.is_alive():
        logging.shutdown()
        os._exit(0)
    if failures:
        logging.getLogger(__name__).error("the controller has failed", exc_info=failures[0])
    return 1 if failures else 0


def quiet_settings() -> kopf.OperatorSettings:
    """Settings for handlers of raw events: nothing is written to watched objects, stopping is quick."""
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.queueing.exit_timeout = 0.5
    settings.networking.connect_timeout = 5.0
    # Without end: kopf gives up a watch for good after the last one, while an API server that restarts may
    # take longer. A cluster that stays away ends the process by `until_cluster_is_gone`.
    settings.networking.error_backoffs = itertools.repeat(_WATCH_AGAIN_SECONDS)
    return settings


async def watch_until_stopped(
    registry: kopf.OperatorRegistry, session: Session, *companions: Awaitable[None]
) -> None:
    """Runs kopf and the companions until the session stops or one of them ends; then ends all of them."""

    async def login(**_: object) -> kopf.ConnectionInfo:
        return session.connection

    kopf.on.login(registry=registry)(login)
    stop = asyncio.Event()
    watching = asyncio.ensure_future(
        kopf.operator(
            registry=registry, settings=quiet_settings(), clusterwide=True, standalone=True, stop_flag=stop
        )
    )
    others = [asyncio.ensure_future(each) for each in (asyncio.wrap_future(session.stop), *companions)]
    done, _ = await asyncio.wait([watching, *others], return_when=asyncio.FIRST_COMPLETED)
    # First the companions: kopf waits five seconds for any task that is not its own.
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    stop.set()
    await asyncio.wait([watching], timeout=_KOPF_SECONDS)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    for task in done:
        task.result()


async def until_cluster_is_gone(
    api: KubernetesApi, patience: float = CLUSTER_GONE_SECONDS, pause: float = _PROBE_SECONDS
) -> None:
    """Returns when the API server, asked every `pause` seconds, has not answered for `patience` seconds."""
    answered = time.monotonic()
    while time.monotonic() - answered < patience:
        await asyncio.sleep(pause)
        if await api.is_answering():
            answered = time.monotonic()
    logging.getLogger(__name__).warning("the API server is gone; ending")
