# A sub-group of which any one pod may start, and a job that wants both of its pods: others leave
# for both together, in one rack, or none does.

conf
  actions enqueue allocate gangpreempt
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1
class high 10

submit ml/old-a1 1 x cpu=4 on=a1 owned
submit ml/old-a2 1 x cpu=4 on=a2 owned
submit ml/old-b1 1 x cpu=4 on=b1 owned
submit ml/train min=2 priority=high subgroups=role:1:0:hard:1  2 x cpu=3 label=role:worker
cycle
----
evict ml/old-a1-0 a1 for ml/train-0
nominate ml/train-0 a1
evict ml/old-a2-0 a2 for ml/train-1
nominate ml/train-1 a2
wait ml/train: Reserved: a1
