"""A stack as one page for a browser: machines, who sits where, memory, order, cost and findings."""
