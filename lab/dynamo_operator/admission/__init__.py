"""The admission rules of the 1.2 line beyond the schema: what is refused, warned about and filled in.

Rules: ai-dynamo/dynamo deploy/operator/internal/webhook/{validation,defaulting} at 5bceb1bac (2026-05-13,
the branch cut of 1.2.0). Messages are plain sentences, as in that line; from 1.4 on they are Kubernetes
field errors.
"""
