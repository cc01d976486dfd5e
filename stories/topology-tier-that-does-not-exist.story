# A highestTierName that no HyperNode bears limits nothing, and is a Problem of the PodGroup. Once a
# HyperNode bears it, it limits the jobs that come then.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 b1 cpu=4
hypernode rack-a tier=1 nodes=a1
hypernode rack-b tier=1 nodes=b1

submit ml/wide topology=hard:island 6 x cpu=1 for=10s
cycle
----
bind ml/wide-0..3 a1
bind ml/wide-4..5 b1

problems
----
PodGroup/ml/wide: highestTierName: no HyperNode has the tier name "island": it limits nothing

hypernode rack-a tier=1 tier-name=island nodes=a1
hypernode rack-b tier=1 tier-name=island nodes=b1
submit ml/late topology=hard:island 6 x cpu=1
run until=30s
----
wait ml/late: GangIncomplete 4 of 6: TopologyNoRoom 4 of 6 (tier island) in rack-a

problems
----
nothing
