# A gang of which one pod has preemptionPolicy Never: no pod is evicted for that one. It takes the
# room that is free, and others may have to leave for the rest of the gang only.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/old priority=low min=1 4 x cpu=1
cycle
----
bind ml/old-0..3 n1

submit ml/gang priority=high min=2 1 x cpu=1 1 x cpu=1 preempts=never
cycle
----
wait ml/gang: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt PreemptionNever

delete ml/old-0
run
----
3s    evict ml/old-3 n1 for ml/gang-0
3s    nominate ml/gang-0..1 n1
4s    bind ml/gang-0..1 n1
