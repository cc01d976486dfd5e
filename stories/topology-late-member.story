# A member that comes late, or comes again after its node was lost, stays in reach of those
# that run: in their rack, or as far up as the job allows. When nothing there has room it
# waits, though the next rack is empty.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 cpu=2
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2

submit ml/train min=3 topology=hard:1 3 x cpu=1 owned
cycle
----
bind ml/train-0 a2
bind ml/train-1 a1
bind ml/train-2 a2

grow ml/train 1 x cpu=1
cycle
----
bind ml/train-3 a1

submit ml/other 2 x cpu=1
cycle
----
bind ml/other-0 b1
bind ml/other-1 b2

remove node a2
delete ml/train-1
run until=10s
----
wait ml/train: GangIncomplete 1 of 2: TopologyNoRoom 1 of 2 (tier 1) in rack-a

jobs hypernode tasks reason
----
job       hypernode  tasks                 reason
ml/other             2 Running
ml/train  rack-a     3 Pending, 1 Running  GangIncomplete 1 of 2: TopologyNoRoom 1 of 2 (tier 1) in rack-a
