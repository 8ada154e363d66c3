"""Stand-in for the kubelet, the container runtime, kube-proxy and the cluster's DNS: real processes behind pods.

kwok's pods are Ready whatever is in them. For pods whose programs exist on this machine (NATS, etcd, the Dynamo
runtime) this process starts the programs from the pod as the API server holds it, and reports what became of them.

A container here has no namespaces of its own. Each pod has an address of its own in 127.0.0.0/8, which takes the
place of 0.0.0.0; mounts are folders, and names of Services are addresses, both written into the texts that a
program is given (`translation`). What the lab therefore does not do: limits of memory and processors, users,
capabilities, network policies, a file system that is read-only.
"""
