# A gang of which no member has a place any more holds nothing, and has to be admitted again.
#
# train is older than next, so it goes first; its pods need not be there for that.

node n1 cpu=20
queue q capability=cpu:10

submit ml/train queue=q min=8 minresources=cpu:8 8 x cpu=1
cycle 2 phases
----
0s    bind ml/train-0..7 n1
0s    phase ml/train Inqueue
1s    phase ml/train Running

submit ml/next queue=q minresources=cpu:6 6 x cpu=1
cycle phases
----
wait ml/next: QueueQuotaInsufficient q: cpu 14 with it, 10 may be

remove node n1
node n2 cpu=20
cycle 3 phases
----
4s    phase ml/train Inqueue
wait ml/next: QueueQuotaInsufficient q: cpu 14 with it, 10 may be
wait ml/train: NoPods

grow ml/train 8 x cpu=1
cycle 2 phases
----
6s    bind ml/train-8..15 n2
7s    phase ml/train Running
wait ml/next: QueueQuotaInsufficient q: cpu 14 with it, 10 may be
