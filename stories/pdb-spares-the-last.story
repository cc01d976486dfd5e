# A PodDisruptionBudget holds whatever their priority is: of three pods that it needs two
# of, one goes, and the next claim of the same cycle gets none (decision 33).

conf
  actions enqueue allocate backfill preempt
  tier priority gang pdb
  tier predicates
class low 1
class high 100
node n1 cpu=3
budget ml/web selects=app:web min=2

submit ml/web-a priority=low 1 x cpu=1 label=app:web
submit ml/web-b priority=low 1 x cpu=1 label=app:web
submit ml/web-c priority=low 1 x cpu=1 label=app:web
cycle
----
bind ml/web-a-0 n1
bind ml/web-b-0 n1
bind ml/web-c-0 n1

submit ml/first priority=high 1 x cpu=1
submit ml/second priority=high 1 x cpu=1
cycle
----
evict ml/web-c-0 n1 for ml/first-0
nominate ml/first-0 n1
wait ml/first: Reserved: n1
wait ml/second: NotEnoughResources: cpu 1 asked, 0 free on n1

run until=1h
----
2s    bind ml/first-0 n1
wait ml/second: NotEnoughResources: cpu 1 asked, 0 free on n1
wait ml/web-c: NoPods
