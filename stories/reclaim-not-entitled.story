# Preemptive: a queue that holds less than it deserves still takes nothing for a job that
# would lift it above (seed 002 §3.3, §6.1; proportion, in every dimension).

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=8
queue a b

submit ml/a queue=a min=1 8 x cpu=1
cycle
----
bind ml/a-0..7 n1

submit ml/b-large queue=b 1 x cpu=5
cycle
----
wait ml/b-large: QueueDeserved b: cpu 5 with it, 4 deserved; reclaim NoVictims: QueueDeserved b: cpu 5 with it, 4 deserved

submit ml/b-fits queue=b 1 x cpu=4
cycle
----
evict ml/a-4..7 n1 for ml/b-fits-0
nominate ml/b-fits-0 n1
wait ml/b-fits: Reserved: n1
wait ml/b-large: QueueOverused b: cpu 4 deserved, 4 held; reclaim NoVictims: QueueDeserved b: cpu 9 with it, 4 deserved

log 5 eclaim
----
V5 Enter Reclaim ...
V3 Queue <b> cannot reclaim for task <ml/b-large-0>, reason: queue b would hold more than it deserves (cpu: 5 with it, 4 deserved)
V5 Leaving Reclaim ...
