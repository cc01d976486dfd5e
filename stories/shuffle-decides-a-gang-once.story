# A gang leaves crowded nodes whole or not at all. Both of its members are picked, and the cap allows one eviction a
# minute: neither is evicted, though one alone would be within the cap.

conf
  actions enqueue allocate backfill shuffle
  tier    priority gang evictioncap(max-per-minute=1) rescheduling(interval=1m,strategies=[{"name":"lowNodeUtilization","params":{"thresholds":{"cpu":20},"targetThresholds":{"cpu":50}}}])
  tier    predicates nodeorder
node n1 n2 cpu=10

submit ml/stays 1 x cpu=3 on=n1 kept 1 x cpu=3 on=n2 kept
submit ml/pair min=2 1 x cpu=3 on=n1 owned 1 x cpu=3 on=n2 owned
node n3 n4 cpu=10
run until=5m
----
nothing

pods node status
----
pod         node  status
ml/pair-0   n1    Running
ml/pair-1   n2    Running
ml/stays-0  n1    Running
ml/stays-1  n2    Running
