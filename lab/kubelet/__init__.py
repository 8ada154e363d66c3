"""Stand-in for kubelet, container runtime, kube-proxy and cluster DNS: real processes behind the lab's pods.

kwok's pods are Ready whatever is in them. For pods whose programs exist on this machine (NATS, etcd, the
Dynamo runtime) this process starts the programs from the pod as the API server holds it, and reports what
became of them.

A container here has no namespaces of its own. Each pod has its address in 127.0.0.0/8, which takes the place
of 0.0.0.0; mounts are folders, and names of Services are addresses, both written into the texts that a
program is given (`translation`). The lab therefore does not have: limits of memory and processors, users,
capabilities, network policies, a file system that is read-only.
"""
