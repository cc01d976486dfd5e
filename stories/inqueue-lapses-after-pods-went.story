# Pods that come and go again do not prolong what is kept for a job.
#
# early waits for the second of its pods, and room for both is kept. Then the first is deleted, too. It is gone a cycle
# later, and next is admitted a minute after early was.

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
cycle 2 phases
----
wait ml/early: NotEnoughTasks 1 of 2
wait ml/next: QueueQuotaInsufficient default: cpu 8 with it, 4 may be

delete ml/early-0
run phases
----
1m1s  phase ml/next Inqueue
wait ml/early: NoPods
wait ml/next: NoPods
