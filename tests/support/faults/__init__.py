"""Levers that break one thing in a running lab, and nothing else, as it breaks in a real cluster."""
