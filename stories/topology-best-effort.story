# A pod that asks for nothing keeps its job's limit all the same, also where its sub-group would
# put up with more: a1 is in no rack, and the only node of the rack takes no pod now.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 cpu=4
node b1 cpu=4 cordoned
hypernode rack tier=1 nodes=b1

submit ml/probe min=1 topology=hard:1 subgroups=app:1:1:soft  1 x nothing label=app:x
cycle
----
wait ml/probe: TopologyNoRoom 0 of 1 (tier 1) in rack

uncordon b1
cycle
----
bind ml/probe-0 b1

# Two that have to share a rack: the places for pods are few in the first.
node c1 cpu=4 pods=1
node d1 cpu=4 pods=2
hypernode rack-c tier=1 nodes=c1
hypernode rack-d tier=1 nodes=d1
cordon b1
submit ml/pair min=2 topology=hard:1  2 x nothing
cycle
----
bind ml/pair-0..1 d1
