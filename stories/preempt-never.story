# No pod is evicted for one with preemptionPolicy Never, its own or that of its
# priority class (seed 002 §6.1, §8.4 cause 7).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
class meek 100 never
node n1 cpu=4

submit ml/old priority=low 1 x cpu=4
cycle
----
bind ml/old-0 n1

submit ml/patient priority=high 1 x cpu=4 preempts=never
submit ml/meek priority=meek 1 x cpu=4
cycle
----
wait ml/meek: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt PreemptionNever
wait ml/patient: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt PreemptionNever

submit ml/bold priority=high 1 x cpu=4
cycle
----
evict ml/old-0 n1 for ml/bold-0
nominate ml/bold-0 n1
wait ml/bold: Reserved: n1
wait ml/meek: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt PreemptionNever
wait ml/patient: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt PreemptionNever
