# Room for pods that a running pod is to ask for is kept for five minutes.
#
# spark is admitted for six CPUs: a driver of one, which makes five executors once it runs. later would fill the queue
# before they come. forgetful has a driver that makes none: after five minutes, last need not wait for them any more.

conf
  actions enqueue allocate
  tier    gang predicates proportion nodeorder
node n1 cpu=6

submit ml/spark min=1 minresources=cpu:6 1 x cpu=1
cycle 2
----
0s    bind ml/spark-0 n1

submit ml/later min=3 minresources=cpu:3 3 x cpu=1
cycle phases
----
wait ml/later: QueueQuotaInsufficient default: cpu 9 with it, 6 may be

# Some have come, and others are still to come.
grow ml/spark 3 x cpu=1
cycle phases
----
bind ml/spark-1..3 n1
wait ml/later: QueueQuotaInsufficient default: cpu 9 with it, 6 may be

grow ml/spark 2 x cpu=1
cycle 2 phases
----
4s    bind ml/spark-4..5 n1
wait ml/later: QueueQuotaInsufficient default: cpu 9 with it, 6 may be

delete ml/spark
delete ml/later
cycle 2
----
nothing

submit ml/forgetful min=1 minresources=cpu:6 1 x cpu=1
submit ml/last min=5 minresources=cpu:5 5 x cpu=1
run phases
----
8s    bind ml/forgetful-0 n1
8s    phase ml/forgetful Inqueue
9s    phase ml/forgetful Running
5m8s  bind ml/last-0..4 n1
5m8s  phase ml/last Inqueue
5m9s  phase ml/last Running
