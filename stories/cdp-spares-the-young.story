# A pod that asks for a cooldown is no victim until it has run for that long. Then it is:
# the engine comes back by itself when the time is over (volcano.sh/cooldown-time).

conf
  actions enqueue allocate backfill preempt
  tier priority gang cdp
  tier predicates
class low 1
class high 100
node n1 cpu=2

submit ml/old priority=low 1 x cpu=2 cooldown=10m
cycle
----
bind ml/old-0 n1

submit ml/new priority=high 1 x cpu=1
cycle
----
wait ml/new: NotEnoughResources: cpu 1 asked, 0 free on n1

run until=1h
----
10m   evict ml/old-0 n1 for ml/new-0
10m   nominate ml/new-0 n1
10m1s bind ml/new-0 n1
wait ml/old: NoPods
