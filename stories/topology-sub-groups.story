# Two replicas of four pods, each to be in one rack (subGroupPolicy with a hard topology): each
# has its own, and the job starts with two of them or not at all. A third replica comes
# whole, or waits whole.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2

submit ml/on-a 1 x cpu=3 on=a1 for=5s
submit ml/serve min=8 subgroups=replica:4:2:hard:1  4 x cpu=2 label=replica:0  4 x cpu=2 label=replica:1
cycle
----
wait ml/serve: GangIncomplete 2 of 8: TopologyNoRoom 2 of 4 (tier 1) in rack-a

why ml/serve
----
GangIncomplete 2 of 8
  TopologyNoRoom 2 of 4 (tier 1) in rack-a

run until=8s
----
5s    bind ml/serve-0..7 a1 a2 b1 b2

jobs subs tasks
----
job       subs                                              tasks
ml/on-a                                                     1 Succeeded
ml/serve  replica-0 4/4 in rack-a, replica-1 4/4 in rack-b  8 Running

grow ml/serve 4 x cpu=1 label=replica:2
node c1 cpu=3
hypernode rack-c tier=1 nodes=c1
cycle
----
wait ml/serve: TopologyNoRoom 3 of 4 (tier 1) in rack-c

node c2 cpu=1
hypernode rack-c tier=1 nodes=c1,c2
cycle
----
bind ml/serve-8..10 c1
bind ml/serve-11 c2

jobs subs tasks
----
job       subs                                                                       tasks
ml/on-a                                                                              1 Succeeded
ml/serve  replica-0 4/4 in rack-a, replica-1 4/4 in rack-b, replica-2 4/4 in rack-c  4 Binding, 8 Running
