# No job is admitted because a phase says so.
#
# The queue may hold ten CPUs and holds eight. A job of which the phase says that it runs,
# or ran, when no pod of it ever had a node, has to pass the gate like all others.

node n1 cpu=20
queue q capability=cpu:10

submit ml/train queue=q 8 x cpu=1 minresources=cpu:8
cycle
----
bind ml/train-0..7 n1

submit ml/runs queue=q phase=Running minresources=cpu:4 4 x cpu=1
submit ml/ran queue=q phase=Unknown minresources=cpu:4 4 x cpu=1
submit ml/done queue=q phase=Completed minresources=cpu:4 4 x cpu=1
cycle phases
----
phase ml/done Pending
phase ml/ran Pending
phase ml/runs Pending
phase ml/train Running
wait ml/done: QueueQuotaInsufficient q: cpu 12 with it, 10 may be
wait ml/ran: QueueQuotaInsufficient q: cpu 12 with it, 10 may be
wait ml/runs: QueueQuotaInsufficient q: cpu 12 with it, 10 may be

cycle
----
wait ml/done: QueueQuotaInsufficient q: cpu 12 with it, 10 may be
wait ml/ran: QueueQuotaInsufficient q: cpu 12 with it, 10 may be
wait ml/runs: QueueQuotaInsufficient q: cpu 12 with it, 10 may be

edit ml/ran phase=Running
cycle phases
----
phase ml/ran Pending
wait ml/done: QueueQuotaInsufficient q: cpu 12 with it, 10 may be
wait ml/ran: QueueQuotaInsufficient q: cpu 12 with it, 10 may be
wait ml/runs: QueueQuotaInsufficient q: cpu 12 with it, 10 may be

queues allocated inqueue
----
queue  allocated  inqueue
q      cpu=8      -
