# Which sub-group comes first where there is room for one: the one with the more important
# pods, then by the number in its label, 2 before 10.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 cpu=2
hypernode rack-a tier=1 nodes=a1

submit ml/serve min=2 subgroups=replica:2:1:hard:1  2 x cpu=1 label=replica:10  2 x cpu=1 label=replica:2  2 x cpu=1 label=replica:3 pod-priority=9
cycle
----
bind ml/serve-4..5 a1
wait ml/serve: TopologyNoRoom 0 of 2 (tier 1) in rack-a

node b1 cpu=2
hypernode rack-b tier=1 nodes=b1
cycle
----
bind ml/serve-2..3 b1
wait ml/serve: TopologyNoRoom 0 of 2 (tier 1) in rack-a
