# Whether a queue is overused is asked anew after every job: the first of three brings b to
# what it deserves, and no pod leaves for the others (seed 002 §6.1).

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=8
queue a b

submit ml/a queue=a min=1 8 x cpu=1
cycle
----
bind ml/a-0..7 n1

submit ml/b-1 queue=b 4 x cpu=1
submit ml/b-2 queue=b 1 x cpu=1
submit ml/b-3 queue=b 1 x cpu=1
cycle
----
evict ml/a-7 n1 for ml/b-1-0
evict ml/a-6 n1 for ml/b-1-0
evict ml/a-5 n1 for ml/b-1-0
evict ml/a-4 n1 for ml/b-1-0
nominate ml/b-1-0..3 n1
wait ml/b-1: Reserved: n1
wait ml/b-2: QueueOverused b: cpu 4 deserved, 4 held; reclaim NoVictims: QueueDeserved b: cpu 5 with it, 4 deserved
wait ml/b-3: QueueOverused b: cpu 4 deserved, 4 held; reclaim NoVictims: QueueDeserved b: cpu 5 with it, 4 deserved

log 3 overused
----
V3 Queue <b> is overused: deserved <cpu 4000.00, memory 0.00>, allocated <cpu 4000.00, memory 0.00>, share <1.000000>
V3 Queue <b> is overused, ignore it.
