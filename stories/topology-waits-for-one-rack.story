# Enough room in the cluster is not enough for a gang that asks for one rack: it waits while
# only split room exists, is told which rack comes nearest, and starts when that has room. A
# gang that may go as far as tier 2 takes the split room below one spine.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 c1 c2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2
hypernode rack-c tier=1 nodes=c1,c2
hypernode spine-1 tier=2 tier-name=spine children=rack-a,rack-b
hypernode spine-2 tier=2 tier-name=spine children=rack-c

submit ml/on-a 1 x cpu=3 on=a1
submit ml/on-b 1 x cpu=2 on=b1 for=10s
submit ml/on-c 1 x cpu=4 on=c1
cycle
----
nothing

submit ml/rack topology=hard:1 8 x cpu=1
submit ml/tight topology=hard:0 2 x cpu=1
cycle
----
wait ml/rack: GangIncomplete 6 of 8: TopologyNoRoom 6 of 8 (tier 1) in rack-b
wait ml/tight: GangIncomplete 0 of 2: HyperNodesNotReady (tier 0)

submit ml/wide topology=hard:spine 10 x cpu=1 for=15s
cycle
----
bind ml/wide-0..1 b2
bind ml/wide-2 b1
bind ml/wide-3 b2
bind ml/wide-4 b1
bind ml/wide-5 b2
bind ml/wide-6..9 a2
wait ml/rack: GangIncomplete 4 of 8: TopologyNoRoom 4 of 8 (tier 1) in rack-c
wait ml/tight: GangIncomplete 0 of 2: HyperNodesNotReady (tier 0)

jobs hypernode tasks
----
job       hypernode  tasks
ml/on-a              1 Running
ml/on-b              1 Running
ml/on-c              1 Running
ml/rack              8 Pending
ml/tight             2 Pending
ml/wide   spine-1    10 Binding

run until=30s
----
18s   bind ml/rack-0..7 b1 b2
wait ml/tight: GangIncomplete 0 of 2: HyperNodesNotReady (tier 0)
