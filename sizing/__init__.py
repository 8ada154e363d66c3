"""Which layout serves a workload: chosen among measured points of serving, and nothing else."""
