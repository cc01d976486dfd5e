# A queue that never gets anything: its weight is 1 of 100, and the other queue asks for all
# there is. What it deserves is a tenth of a pod (seed 000 §14.4, row 1; seed 003 §8.2,
# cause 1).

node n1 cpu=10
queue rich weight=99
queue poor weight=1

submit ml/serve queue=rich min=1 20 x cpu=1
cycle
----
bind ml/serve-0..9 n1
wait ml/serve: QueueOverused rich: cpu 10 deserved, 10 held

submit ml/hope queue=poor 1 x cpu=1
cycle
----
wait ml/hope: QueueDeserved poor: cpu 1 with it, 100m deserved
wait ml/serve: QueueOverused rich: cpu 9900m deserved, 10 held

queues weight deserved allocated
----
queue  weight  deserved   allocated
poor   1       cpu=100m   -
rich   99      cpu=9900m  cpu=10
