"""The lab's command-line tools: what they are, and how they are built from source once per machine."""
