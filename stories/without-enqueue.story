# Without the action enqueue every job is in from the start.
#
# The queue may hold two CPUs and the job wants four at least: no plugin is asked, it
# is admitted, and then waits for the queue's part instead.

conf
  actions allocate backfill
node n1 cpu=8
queue ml capability=cpu:2

submit ml/train queue=ml min=4 minresources=cpu:4 4 x cpu=1
cycle phases
----
phase ml/train Inqueue
wait ml/train: never QueueTooSmall ml: cpu 4 asked, 2 there; GangIncomplete 2 of 4: QueueCapability ml: cpu 3 with it, 2 may be
