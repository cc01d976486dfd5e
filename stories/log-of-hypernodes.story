# What the log says of HyperNodes (seed 003 §8.4): which there are, and in which a job is tried.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 b1 cpu=2
hypernode rack-a tier=1 nodes=a1
hypernode rack-b tier=1 nodes=b1
hypernode self tier=1 children=self

submit ml/train topology=hard:1 2 x cpu=1
cycle
----
bind ml/train-0..1 a1

log 5 yperNode
----
V3 HyperNodesReadyToSchedule: false, 3 HyperNodes, 1 set aside
V5 hyperNode in session: <rack-a>, tier <1>, <1> nodes
V5 hyperNode in session: <rack-b>, tier <1>, <1> nodes
V3 Allocate Job <ml/train> in hyperNode <rack-a>, tier <1>, score <100000>
