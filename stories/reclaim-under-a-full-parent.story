# A queue of a tree takes from its sibling when the parent may hold no more: what those above
# may hold is asked with the victims gone (decision 15, seed 001 §8).

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity(enableHierarchy=true) nodeorder
node n1 cpu=12
queue team capability=cpu:4 deserved=cpu:4
queue team-a parent=team deserved=cpu:2
queue team-b parent=team deserved=cpu:2

submit ml/a queue=team-a min=1 4 x cpu=1
cycle
----
bind ml/a-0..3 n1

submit ml/b queue=team-b 2 x cpu=1
cycle
----
evict ml/a-3 n1 for ml/b-0
evict ml/a-2 n1 for ml/b-0
nominate ml/b-0..1 n1
wait ml/b: Reserved: n1

submit ml/b2 queue=team-b 1 x cpu=1
run
----
2s    bind ml/b-0..1 n1
wait ml/b2: QueueCapability team: cpu 5 with it, 4 may be; reclaim NoVictims: 2 VictimDeserved
