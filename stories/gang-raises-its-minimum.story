# An operator that scales a gang up raises its minimum, and the gang keeps what it has.
#
# ray holds four CPUs of the ten that its queue may hold, other six of them. ray is to have
# eight: it stays admitted, keeps its room, and counts for eight at the gate, so that later
# does not come before it. When other ends, ray's new members start without being admitted
# once more.

node n1 cpu=20
queue q capability=cpu:10

submit ml/ray queue=q min=4 minresources=cpu:4 4 x cpu=1
submit ml/other queue=q min=6 minresources=cpu:6 6 x cpu=1
cycle 2 phases
----
0s    bind ml/other-0..5 n1
0s    bind ml/ray-0..3 n1
0s    phase ml/other Inqueue
0s    phase ml/ray Inqueue
1s    phase ml/other Running
1s    phase ml/ray Running

edit ml/ray min=8 minresources=cpu:8
grow ml/ray 4 x cpu=1
submit ml/later queue=q minresources=cpu:3 3 x cpu=1
cycle 2 phases
----
2s    phase ml/ray Unknown
wait ml/later: QueueQuotaInsufficient q: cpu 17 with it, 10 may be
wait ml/ray: QueueCapability q (held): cpu 10 with it, 10 may be

finish ml/other
cycle 2 phases
----
4s    bind ml/ray-4..7 n1
4s    phase ml/other Completed
5s    phase ml/ray Running
wait ml/later: QueueQuotaInsufficient q: cpu 11 with it, 10 may be
