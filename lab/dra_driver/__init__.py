"""Stand-in for NVIDIA's DRA driver, line 0.4, compute domains only (kubernetes-sigs/dra-driver-nvidia-gpu).

Left out: the IMEX daemons' pods and ComputeDomainClique objects, which need containers that run. Stricter in
two points: a node without an NVLink clique offers no channel at all, where the real driver offers one that
connects nothing, and a domain without a node is NotReady.
"""
