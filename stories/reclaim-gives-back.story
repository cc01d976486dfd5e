# A queue gets back what it deserves from one that borrowed it, and no more: two of four
# pods go, those of the youngest jobs (seed 002 §6).

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=4
queue a b

submit ml/a-old queue=a 1 x cpu=1
submit ml/a-mid queue=a 1 x cpu=1
submit ml/a-new queue=a 1 x cpu=1
cycle
----
bind ml/a-mid-0 n1
bind ml/a-new-0 n1
bind ml/a-old-0 n1

submit ml/a-last queue=a 1 x cpu=1
cycle
----
bind ml/a-last-0 n1

submit ml/b-one queue=b 1 x cpu=1
submit ml/b-two queue=b 1 x cpu=1
submit ml/b-three queue=b 1 x cpu=1
cycle
----
evict ml/a-last-0 n1 for ml/b-one-0
nominate ml/b-one-0 n1
evict ml/a-old-0 n1 for ml/b-three-0
nominate ml/b-three-0 n1
wait ml/b-one: Reserved: n1
wait ml/b-three: Reserved: n1
wait ml/b-two: QueueOverused b: cpu 2 deserved, 2 held; reclaim NoVictims: QueueDeserved b: cpu 3 with it, 2 deserved

cycle
----
bind ml/b-one-0 n1
bind ml/b-three-0 n1
wait ml/a-last: NoPods
wait ml/a-old: NoPods
wait ml/b-two: QueueOverused b: cpu 2 deserved, 2 held; reclaim NoVictims: QueueDeserved b: cpu 3 with it, 2 deserved

cycle
----
wait ml/a-last: NoPods
wait ml/a-old: NoPods
wait ml/b-two: QueueOverused b: cpu 2 deserved, 2 held; reclaim NoVictims: QueueDeserved b: cpu 3 with it, 2 deserved
