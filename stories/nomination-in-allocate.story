# In allocate a more important newcomer does not get what was freed for another, which is
# bound first; if it may evict that one, it does so in its own turn (decision 13).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class mid 50
class high 100
node n1 cpu=4

submit ml/old priority=low 1 x cpu=4
cycle
----
bind ml/old-0 n1

submit ml/mid priority=mid 1 x cpu=4
cycle
----
evict ml/old-0 n1 for ml/mid-0
nominate ml/mid-0 n1
wait ml/mid: Reserved: n1

submit ml/high priority=high 1 x cpu=4
cycle
----
bind ml/mid-0 n1
wait ml/high: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims
wait ml/old: NoPods

run
----
3s    evict ml/mid-0 n1 for ml/high-0
3s    nominate ml/high-0 n1
4s    bind ml/high-0 n1
wait ml/mid: NoPods
wait ml/old: NoPods
