# With a tree of queues the nearest give first: what b's sibling has borrowed, although a
# queue of another team has borrowed more (seed 001 §9, seed 002 §4.4).

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity(enableHierarchy=true) nodeorder
node n1 cpu=12
queue team deserved=cpu:6
queue team-a parent=team deserved=cpu:2
queue team-b parent=team deserved=cpu:4
queue far deserved=cpu:2

submit ml/near queue=team-a min=1 4 x cpu=1
submit ml/far queue=far min=1 8 x cpu=1
cycle
----
bind ml/far-0 n1
bind ml/near-0..2 n1
bind ml/far-1 n1
bind ml/near-3 n1
bind ml/far-2..7 n1

submit ml/b queue=team-b 2 x cpu=1
cycle
----
evict ml/near-3 n1 for ml/b-0
evict ml/near-2 n1 for ml/b-0
nominate ml/b-0..1 n1
wait ml/b: Reserved: n1

run
----
2s    bind ml/b-0..1 n1

submit ml/b2 queue=team-b 2 x cpu=1
cycle
----
evict ml/far-7 n1 for ml/b2-0
evict ml/far-6 n1 for ml/b2-0
nominate ml/b2-0..1 n1
wait ml/b2: Reserved: n1
