# The best node for one member may be the only one for another. The launcher would go to the
# roomier node of the rack, and the worker would have none: a gang as small as this is placed
# in another way then.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 cpu=4
node a2 cpu=2
hypernode rack tier=1 nodes=a1,a2

submit ml/train min=2 topology=hard:1  1 x cpu=2 as launcher  1 x cpu=4 as worker
cycle
----
bind ml/train-launcher-0 a2
bind ml/train-worker-0 a1
