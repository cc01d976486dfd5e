# A gang of which members run is admitted, whatever its PodGroup says: what another scheduler
# left there, or that nothing is known of it.
#
# The queue may hold 32 CPUs and would hold them all. Each gang of eight has lost one member,
# and the successor of that member waits.

node n1 n2 cpu=20
queue q capability=cpu:32

submit ml/pending queue=q phase=Pending min=8 minresources=cpu:8 7 x cpu=1 on=n1 1 x cpu=1
submit ml/inqueue queue=q phase=Inqueue min=8 minresources=cpu:8 7 x cpu=1 on=n1 1 x cpu=1
submit ml/running queue=q phase=Running min=8 minresources=cpu:8 7 x cpu=1 on=n2 1 x cpu=1
submit ml/unknown queue=q phase=Unknown min=8 minresources=cpu:8 7 x cpu=1 on=n2 1 x cpu=1
cycle 2 phases
----
0s    bind ml/inqueue-7 n1
0s    bind ml/pending-7 n2
0s    bind ml/running-7 n1
0s    bind ml/unknown-7 n2
0s    phase ml/pending Inqueue
1s    phase ml/inqueue Running
1s    phase ml/pending Running
1s    phase ml/unknown Running

queues allocated inqueue
----
queue  allocated  inqueue
q      cpu=32     -
