"""A stack as one page for a browser, and the sentences that say what it becomes and why; pure."""
