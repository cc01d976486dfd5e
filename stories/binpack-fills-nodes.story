# binpack fills a node before it opens another, so that a big job finds an empty one.

conf
  tier priority gang
  tier predicates proportion binpack
node n1 n2 cpu=4
queue ml

submit ml/crumb queue=ml min=1 3 x cpu=1
cycle
----
bind ml/crumb-0..2 n1

nodes
----
node  used   idle
n1    cpu=3  cpu=1
n2    -      cpu=4

submit ml/block queue=ml 1 x cpu=4
cycle
----
bind ml/block-0 n2
