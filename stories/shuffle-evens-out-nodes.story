# shuffle moves a pod from a crowded node to one that has room for it, a round at a time,
# and stops when no move would help. A gang keeps its minimum: pair stays.

conf
  actions enqueue allocate backfill shuffle
  tier    priority gang conformance rescheduling(interval=1m,strategies=[{"name":"lowNodeUtilization","params":{"thresholds":{"cpu":40},"targetThresholds":{"cpu":60}}}])
  tier    predicates nodeorder
node n1 cpu=10

submit ml/pair min=2 2 x cpu=2
submit ml/one 1 x cpu=2 owned
submit ml/two 1 x cpu=2 owned
cycle
----
bind ml/one-0 n1
bind ml/pair-0..1 n1
bind ml/two-0 n1

node n2 cpu=10
run until=5m
----
1s    evict ml/one-0 n1
2s    bind ml/one-0 n2
