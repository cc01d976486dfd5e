# enableTopologyAwarePreemption looks for as many candidates as its arguments say, from a
# node that the pod's name gives, and takes the best of those: of two nodes here, of which
# the cheapest of all need not be one (seed 002 §5.1, §7).

conf
  actions enqueue allocate backfill
    preempt(enableTopologyAwarePreemption=true,minCandidateNodesPercentage=0,minCandidateNodesAbsolute=2,maxCandidateNodesAbsolute=2)
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class mid 5
class high 100
node n1 n2 n3 n4 cpu=4

submit ml/cheap priority=low 1 x cpu=4 on=n4
submit ml/b priority=mid 1 x cpu=4 on=n2
submit ml/c priority=mid 1 x cpu=4 on=n3
submit ml/d priority=mid 1 x cpu=4 on=n1
cycle
----
nothing

submit ml/new priority=high 1 x cpu=4
cycle
----
evict ml/d-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

evictions for tried hopeless instead
----
pod     for       tried  hopeless  instead
ml/d-0  ml/new-0  1      0         -

submit ml/other priority=high 1 x cpu=4
cycle
----
bind ml/new-0 n1
evict ml/b-0 n2 for ml/other-0
nominate ml/other-0 n2
wait ml/d: NoPods
wait ml/other: Reserved: n2

evictions for tried hopeless instead
----
pod     for         tried  hopeless  instead
ml/b-0  ml/other-0  1      1         -
