# Of several quotas each has to have room; the first by name that has none is told. A
# limit of nothing is a limit, and what a quota does not name it does not bound.

conf
  actions enqueue
  tier    resourcequota
node n1 cpu=100
quota team/memory  hard=memory:1Gi
quota team/devices hard=gpu:0

submit team/plain  min=1 minresources=cpu:50
submit team/gpus   min=1 minresources=gpu:1,memory:2Gi
submit team/memory min=1 minresources=memory:2Gi
cycle phases
----
phase team/plain Inqueue
wait team/gpus: NamespaceQuotaExceeded devices: gpu 1 with it, 0 may be
wait team/memory: NamespaceQuotaExceeded memory: memory 2Gi with it, 1Gi may be
wait team/plain: NoPods
