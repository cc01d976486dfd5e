# A queue never gives what is guaranteed to it: b, which deserves four, gets no more than
# three back (seed 002 §6.4; the guarantee raises what a deserves).

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity(enableHierarchy=true) nodeorder
node n1 cpu=6
queue a deserved=cpu:1 guarantee=cpu:3
queue b deserved=cpu:4

submit ml/a queue=a min=1 6 x cpu=1
cycle
----
bind ml/a-0..5 n1

submit ml/b1 queue=b 1 x cpu=1
submit ml/b2 queue=b 1 x cpu=1
submit ml/b3 queue=b 1 x cpu=1
submit ml/b4 queue=b 1 x cpu=1
run
----
1s    evict ml/a-3..5 n1 for ml/b1-0 ml/b2-0 ml/b3-0
1s    nominate ml/b1-0 n1
1s    nominate ml/b2-0 n1
1s    nominate ml/b3-0 n1
2s    bind ml/b1-0 n1
2s    bind ml/b2-0 n1
2s    bind ml/b3-0 n1
wait ml/b4: QueueCapability b: cpu 4 with it, 3 may be; reclaim NoVictims: 3 VictimGuaranteed

queues guarantee deserved allocated real
----
queue  guarantee  deserved  allocated  real
a      cpu=3      cpu=3     cpu=3      cpu=6
b      -          cpu=3     cpu=3      cpu=3
