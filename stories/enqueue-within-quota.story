# A job is admitted only if its queue could ever hold it, together with those that were
# admitted before.
#
# The queue may hold six CPUs. early keeps four of them from the moment it is admitted,
# long before its pods exist; late asks for four more and has to wait outside, where its
# operator creates no pods. When early is deleted its part is free.

node n1 cpu=20
queue ml capability=cpu:6

submit ml/early queue=ml min=2 minresources=cpu:4
cycle phases
----
phase ml/early Inqueue
wait ml/early: NoPods

submit ml/late  queue=ml min=2 minresources=cpu:4
cycle phases
----
wait ml/early: NoPods
wait ml/late: QueueQuotaInsufficient ml: cpu 8 with it, 6 may be

queues inqueue allocated capability
----
queue  inqueue  allocated  capability
ml     cpu=4    -          cpu=6

delete ml/early
cycle phases
----
phase ml/late Inqueue
wait ml/late: NoPods
