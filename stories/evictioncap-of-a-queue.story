# Within a minute one pod of a queue may be evicted, and no more: the second claim waits
# until the first eviction is a minute old.

conf
  actions enqueue allocate backfill preempt
  tier priority gang evictioncap(max-per-minute.queue=1)
  tier predicates
class low 1
class high 100
node n1 cpu=2

submit ml/a priority=low 1 x cpu=1
submit ml/b priority=low 1 x cpu=1
cycle
----
bind ml/a-0 n1
bind ml/b-0 n1

submit ml/first priority=high 1 x cpu=1
submit ml/second priority=high 1 x cpu=1
cycle
----
evict ml/b-0 n1 for ml/first-0
nominate ml/first-0 n1
wait ml/first: Reserved: n1
wait ml/second: NotEnoughResources: cpu 1 asked, 0 free on n1

run until=5m
----
2s    bind ml/first-0 n1
1m1s  evict ml/a-0 n1 for ml/second-0
1m1s  nominate ml/second-0 n1
1m2s  bind ml/second-0 n1
wait ml/a: NoPods
wait ml/b: NoPods
