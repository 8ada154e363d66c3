"""What stands in for the engine's container image: the real Dynamo runtime, a mock in the engine's place.

`site/` is first on PYTHONPATH of every Python process in a container. Its `sitecustomize` answers imports of
the engines' packages, which need a GPU, and lets `python3 -m dynamo.trtllm` begin in `trtllm_worker.py` and
`python3 -m dynamo.vllm` in `vllm_worker.py`: the runtime's own parser reads the command line, and
dynamo.mocker serves. The lab imports nothing of `site/`.
"""

from pathlib import Path

SITE = Path(__file__).with_name("site")
"""The folder for PYTHONPATH."""
