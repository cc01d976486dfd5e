# A job that loses its pods before any had a node has what is kept for it for a minute from then on.
#
# early waits for the second of its pods, and room for both is kept. Then the first is deleted, too.
# It is gone a cycle later, and next is let in a minute after that.

conf
  actions enqueue allocate
  tier    gang predicates proportion nodeorder
node n1 cpu=4

submit ml/early min=2 minresources=cpu:4 1 x cpu=2
cycle phases
----
phase ml/early Inqueue
wait ml/early: NotEnoughTasks 1 of 2

submit ml/next  min=1 minresources=cpu:4
run until=5m phases
----
wait ml/early: NotEnoughTasks 1 of 2
wait ml/next: QueueQuotaInsufficient default: cpu 8 with it, 4 may be

delete ml/early-0
run phases
----
1m3s  phase ml/next Inqueue
wait ml/early: NoPods
wait ml/next: NoPods
