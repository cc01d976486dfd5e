# Members that have ended make no running member surplus: a gang of which the minimum is all that still
# runs goes as a whole or not at all.
#
# Two of gang start together. One of its three members has succeeded, and two run. If the one that ended
# counted, one of these two could be evicted alone.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=2

submit ml/gang priority=low min=2 3 x cpu=1
cycle
----
bind ml/gang-0..1 n1
wait ml/gang: NotEnoughResources: cpu 1 asked, 0 free on n1

finish ml/gang-0
cycle
----
bind ml/gang-2 n1

submit ml/new priority=high 1 x cpu=1
cycle
----
evict ml/gang-2 n1 for ml/new-0
evict ml/gang-1 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

evictions for whole
----
pod        for       whole
ml/gang-2  ml/new-0  yes
ml/gang-1  ml/new-0  yes
