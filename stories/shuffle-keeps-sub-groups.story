# shuffle leaves every sub-group of a gang with the members that it needs to start: of two replicas of two pods
# none loses one, although the gang as a whole has more members than its minimum.

conf
  actions enqueue allocate backfill shuffle
  tier    priority gang conformance rescheduling(interval=1m,strategies=[{"name":"lowNodeUtilization","params":{"thresholds":{"cpu":40},"targetThresholds":{"cpu":60}}}])
  tier    predicates nodeorder
node n1 cpu=10

submit ml/serve min=2 subgroups=replica:2:1  2 x cpu=2 label=replica:0 owned  2 x cpu=2 label=replica:1 owned
cycle
----
bind ml/serve-0..3 n1

node n2 cpu=10
run until=5m
----
nothing
