# preempt evicts no pods for a job that has to stay within a tier of the network, and says
# which actions do (seed 002 §2.1, branch ContainsNetworkTopology).

conf
  actions enqueue allocate backfill preempt
  tier priority gang conformance
  tier predicates proportion nodeorder network-topology-aware
class low 1
class high 100
node a1 a2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2

submit ml/low priority=low min=1 8 x cpu=1
cycle
----
bind ml/low-0 a2
bind ml/low-1 a1
bind ml/low-2 a2
bind ml/low-3 a1
bind ml/low-4 a2
bind ml/low-5 a1
bind ml/low-6 a2
bind ml/low-7 a1

submit ml/high priority=high topology=hard:1 2 x cpu=2
cycle
----
wait ml/high: QueueOverused default: cpu 8 deserved, 8 held; preempt TopologyByGang
