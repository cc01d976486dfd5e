# What happens later than the time that a run is to reach has not happened yet: the run stops
# before, and says what waits then. What is done to the cluster afterwards shows after that time.

node n1 cpu=1
submit ml/first 1 x cpu=1 for=8h
submit ml/second 1 x cpu=1 for=1h
run until=2h
----
0s    bind ml/first-0 n1
wait ml/second: QueueOverused default: cpu 1 deserved, 1 held

submit ml/third 1 x cpu=1
cycle 2 phases
----
2h0m1s phase ml/third Inqueue
wait ml/second: QueueOverused default: cpu 1 deserved, 1 held
wait ml/third: QueueOverused default: cpu 1 deserved, 1 held

run
----
8h0m1s bind ml/second-0 n1
9h0m2s bind ml/third-0 n1
