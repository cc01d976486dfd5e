# A PodGroup marked volcano.sh/preemptable: "false" spares all its members, whole gangs and single ones,
# until the mark is taken back.

conf
  actions enqueue allocate backfill gangpreempt preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/rigid priority=low preemptable=no min=2 4 x cpu=1
cycle
----
bind ml/rigid-0..3 n1

submit ml/high priority=high 1 x cpu=1
cycle
----
wait ml/high: NotEnoughResources: cpu 1 asked, 0 free on n1; gangpreempt NoVictims: 4 VictimKept; preempt NoVictims: 4 VictimKept

edit ml/rigid preemptable=unset
cycle
----
evict ml/rigid-3 n1 for ml/high-0
nominate ml/high-0 n1
wait ml/high: Reserved: n1
