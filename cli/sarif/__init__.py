"""Findings as SARIF 2.1.0, which code scanning shows beside the lines of a file."""
