# A pod that asks for nothing takes the place of one that asks for nothing, never of one
# that asks for something (seed 002 §2.2, the filters).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4 pods=2

submit ml/works priority=low 1 x cpu=1
cycle
----
bind ml/works-0 n1

submit ml/idles priority=low 1 x nothing
cycle
----
bind ml/idles-0 n1

submit ml/new priority=high 1 x nothing
cycle
----
evict ml/idles-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

submit ml/newer priority=high 1 x nothing
cycle
----
bind ml/new-0 n1
wait ml/idles: NoPods
wait ml/newer: NotEnoughResources: pods 1 asked, 0 free on n1; preempt NoVictims: 1 VictimOfNoUse

cycle
----
wait ml/idles: NoPods
wait ml/newer: NotEnoughResources: pods 1 asked, 0 free on n1; preempt NoVictims: 1 VictimNotLower, 1 VictimOfNoUse
