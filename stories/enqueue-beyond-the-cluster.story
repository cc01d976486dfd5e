# A queue without a capability is bounded by the cluster: a job bigger than all of it is
# not admitted, and does not stand in the way of one that is not.

node n1 n2 cpu=4
queue ml

submit ml/huge queue=ml min=3 minresources=cpu:12
cycle phases
----
wait ml/huge: QueueQuotaInsufficient ml: cpu 12 with it, 8 may be

submit ml/fine queue=ml min=2 minresources=cpu:8
cycle phases
----
phase ml/fine Inqueue
wait ml/fine: NoPods
wait ml/huge: QueueQuotaInsufficient ml: cpu 12 with it, 8 may be
