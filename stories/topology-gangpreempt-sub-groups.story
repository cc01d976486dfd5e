# A gang of two sub-groups, each to be in one rack, has others leave in two racks, one for
# each; no gang that stays is left below its minimum, nor any of its sub-groups.

conf
  actions enqueue allocate backfill gangpreempt
  tier    priority gang conformance
  tier    predicates nodeorder network-topology-aware
class low 1
class high 100
node a1 b1 c1 cpu=4
hypernode rack-a tier=1 nodes=a1
hypernode rack-b tier=1 nodes=b1
hypernode rack-c tier=1 nodes=c1

submit ml/old priority=low min=4 subgroups=part:2:0  4 x cpu=1 label=part:0 on=a1  3 x cpu=1 label=part:1 on=b1
submit ml/loose priority=low 3 x cpu=1 kept on=c1
cycle
----
nothing

submit ml/serve priority=high min=4 subgroups=replica:2:2:hard:1  2 x cpu=1 label=replica:0  2 x cpu=1 label=replica:1
cycle
----
evict ml/old-3 a1 for ml/serve-0
nominate ml/serve-0 a1
evict ml/old-2 a1 for ml/serve-1
nominate ml/serve-1 a1
nominate ml/serve-2 b1
evict ml/old-6 b1 for ml/serve-3
nominate ml/serve-3 b1
wait ml/serve: Reserved: a1

evictions for
----
pod       for
ml/old-3  ml/serve-0
ml/old-2  ml/serve-1
ml/old-6  ml/serve-3

cycle 2
----
2s    bind ml/serve-0..3 a1 b1

jobs subs tasks
----
job       subs                                              tasks
ml/loose                                                    3 Running
ml/old    part-0 2/2 in -, part-1 2/2 in -                  4 Running
ml/serve  replica-0 2/2 in rack-a, replica-1 2/2 in rack-b  4 Running
