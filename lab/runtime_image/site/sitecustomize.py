"""Runs at the start of every Python process of a container, before its program."""

import engine_packages

engine_packages.install()
