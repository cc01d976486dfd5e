# Of a job without minResources only what its members above minMember hold counts as what its queue
# could give back.
#
# wide runs with four pods and needs three of them. So its queue could give one CPU back: one is admitted,
# two is not.

node n1 cpu=4
queue ml

submit ml/wide queue=ml min=3 4 x cpu=1
cycle
----
bind ml/wide-0..3 n1

submit ml/two queue=ml min=2 minresources=cpu:2
submit ml/one queue=ml min=1 minresources=cpu:1
cycle phases
----
phase ml/one Inqueue
phase ml/wide Running
wait ml/one: NoPods
wait ml/two: QueueQuotaInsufficient ml: cpu 6 with it, 4 may be

queues allocated elastic
----
queue  allocated  elastic
ml     cpu=4      cpu=1
