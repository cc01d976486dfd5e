# Of equals the one that came first is served first, whatever it is called.

node n1 cpu=2
queue ml

submit ml/full queue=ml 1 x cpu=2 for=10m
cycle
----
bind ml/full-0 n1

submit ml/zebra queue=ml 1 x cpu=2
cycle
----
wait ml/zebra: QueueOverused ml: cpu 2 deserved, 2 held

submit ml/ant queue=ml 1 x cpu=2
run
----
10m1s bind ml/zebra-0 n1
wait ml/ant: QueueOverused ml: cpu 2 deserved, 2 held
