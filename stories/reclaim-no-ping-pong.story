# A pod that was reclaimed and made anew does not win its room back, however unequal the
# shares are for a moment: what a queue gave it had above what it deserves.

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=6
queue a b

submit ml/a queue=a min=1 1 x cpu=4 owned 2 x cpu=1 owned
cycle
----
bind ml/a-0..2 n1

submit ml/b queue=b 3 x cpu=1 owned
run
----
1s    evict ml/a-0..2 n1 for ml/b-0
1s    nominate ml/b-0..2 n1
2s    bind ml/a-1..2 n1
2s    bind ml/b-0..2 n1
wait ml/a: QueueDeserved a: cpu 6 with it, 3 deserved

queues deserved allocated
----
queue  deserved  allocated
a      cpu=3     cpu=2
b      cpu=3     cpu=3

jobs tasks reason
----
job   tasks                 reason
ml/a  1 Pending, 2 Running  QueueDeserved a: cpu 6 with it, 3 deserved
ml/b  3 Running
