"""`dynamo-stack recipes import`: a published graph becomes a recipe, and what differs is told."""
