"""Stand-in for NVIDIA's Dynamo operator, release line 1.2, on a cluster whose pods run no containers.

It works only while its Helm release is installed, as a real operator's pod would. Without Grove: a graph
becomes DynamoComponentDeployments, Deployments and Services. Left out: the renewal of the leader election's
Lease. Fields of graphs that no recording has are refused.
"""
