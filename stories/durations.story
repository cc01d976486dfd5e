# Jobs that run for a time make room for those behind them, and so on to the end.

node n1 cpu=2
queue ml

submit ml/one   queue=ml 1 x cpu=2 for=10m
submit ml/three queue=ml 1 x cpu=2 for=30s at=1m
submit ml/two   queue=ml 1 x cpu=2 for=5m at=30s
run
----
0s    bind ml/one-0 n1
10m1s bind ml/two-0 n1
15m2s bind ml/three-0 n1

jobs phase
----
job       phase
ml/one    Completed
ml/three  Completed
ml/two    Completed
