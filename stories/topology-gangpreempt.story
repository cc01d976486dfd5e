# For a gang that asks for one rack others leave in one rack alone: in the one that lacks
# least, and only as many as it takes. preempt leaves such jobs to gangpreempt.

conf
  actions enqueue allocate backfill preempt gangpreempt
  tier    priority gang conformance
  tier    predicates nodeorder network-topology-aware
class low 1
class high 100
node a1 a2 b1 b2 cpu=2
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2

submit ml/on-a1 priority=low 1 x cpu=2 on=a1
submit ml/on-a2 priority=low 1 x cpu=1 on=a2
submit ml/on-b1 priority=low 1 x cpu=2 on=b1
cycle
----
nothing

submit ml/train priority=high topology=hard:1 4 x cpu=1
cycle
----
evict ml/on-b1-0 b1 for ml/train-0
nominate ml/train-0..1 b1
nominate ml/train-2..3 b2
wait ml/train: Reserved: b1

cycle 2
----
2s    bind ml/train-0..3 b1 b2
wait ml/on-b1: NoPods

jobs hypernode tasks
----
job       hypernode  tasks
ml/on-a1             1 Running
ml/on-a2             1 Running
ml/on-b1             -
ml/train  rack-b     4 Running
