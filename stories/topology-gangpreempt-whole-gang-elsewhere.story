# A gang that has to be in one rack takes room from a gang of which one member is in another rack: it goes as a whole, and
# no member is placed in the other rack for it.

conf
  actions enqueue allocate backfill preempt gangpreempt
  tier    priority gang conformance
  tier    predicates nodeorder network-topology-aware
class low 1
class high 100
node a1 a2 b1 b2 cpu=2
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2

submit ml/pin-b2 priority=high 1 x cpu=2 on=b2
submit ml/pin-a2 priority=high 1 x cpu=1 on=a2
cycle
----
nothing

submit ml/victim priority=low min=2 2 x cpu=2
cycle
----
bind ml/victim-0 b1
bind ml/victim-1 a1

submit ml/train priority=high topology=hard:1 2 x cpu=1
cycle
----
evict ml/victim-1 a1 for ml/train-0
evict ml/victim-0 b1 for ml/train-0
nominate ml/train-0..1 a1
wait ml/train: Reserved: a1

cycle 3
----
3s    bind ml/train-0..1 a1
wait ml/victim: NoPods
