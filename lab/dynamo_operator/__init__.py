"""Stand-in for NVIDIA's Dynamo operator, release line 1.2, on a cluster whose pods run no containers.

It works only while its Helm release is installed, as a real operator's pod would. Without Grove: a graph
becomes Deployments and Services. Left out: the DynamoComponentDeployment objects in between, whose schema is
not public in a form that could be checked against, and the renewal of the leader election's Lease.
"""
