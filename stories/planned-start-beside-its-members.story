# A planned start counts on the end of a member that runs already: train lacks a worker, which has room in rack-a at
# once, but not beside the ps in rack-b. By its limit the ps ends in 5 minutes, and the worker waits for that: until the
# ps has ended, the two would be in two racks.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 b1 cpu=4
hypernode rack-a tier=1 nodes=a1
hypernode rack-b tier=1 nodes=b1

submit ml/train min=1 minroles=worker:1 topology=hard:1 1 x cpu=2 as ps on=b1 limit=5m for=5m 1 x cpu=4 as worker
cycle
----
wait ml/train: StartPlanned 5m0s on a1: TopologyNoRoom 0 of 1 (tier 1) in rack-b

jobs hypernode tasks reason
----
job       hypernode  tasks                 reason
ml/train  rack-b     1 Pending, 1 Running  StartPlanned 5m0s on a1: TopologyNoRoom 0 of 1 (tier 1) in rack-b

run
----
5m    bind ml/train-worker-0 a1
