# HyperNodes that contradict each other hurt themselves alone: of two that claim a node the
# older has it, one that is its own member or holds one of no lower tier is set aside, and
# the rest makes a tree. A job that finds no domain is told how many were set aside.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
cycle
----
nothing

hypernode greedy tier=1 match=.*
hypernode ring-1 tier=2 children=ring-2
hypernode ring-2 tier=2 children=ring-1
hypernode self tier=0 children=self
hypernode spine tier=3 children=rack-a,ghost
hypernode thief tier=4 children=rack-a
hypernode broken tier=0 nodes=a1 fault=spec.tier
submit ml/train topology=hard:1 8 x cpu=1
submit ml/tiny topology=hard:0 1 x cpu=1
cycle
----
bind ml/train-0 b1
bind ml/train-1 b2
bind ml/train-2 b1
bind ml/train-3 b2
bind ml/train-4 b1
bind ml/train-5 b2
bind ml/train-6 b1
bind ml/train-7 b2
wait ml/tiny: HyperNodesNotReady (tier 0)

problems
----
HyperNode/broken: spec.tier: the value makes no sense
HyperNode/greedy: spec.members: 2 nodes are in another HyperNode already, which is older or comes first by name, as node a1 in rack-a: left out
HyperNode/ring-1: spec.members[0]: HyperNode ring-2 is of tier 2, and members of tier 2 must be of a lower one: it is set aside
HyperNode/ring-2: spec.members[0]: HyperNode ring-1 is of tier 2, and members of tier 2 must be of a lower one: it is set aside
HyperNode/self: spec.members[0]: it is a member of itself: it is set aside
HyperNode/spine: spec.members[1]: HyperNode "ghost" does not exist
HyperNode/thief: spec.members[0]: HyperNode "rack-a" is a member of "spine" already, which is older or comes first by name: it is left out

jobs hypernode reason
----
job       hypernode  reason
ml/tiny              HyperNodesNotReady (tier 0)
ml/train  greedy     BindInFlight
