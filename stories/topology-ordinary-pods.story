# Pods that ask for no topology are drawn to the rack that is fuller with them, so that other
# racks stay whole for gangs that need them. A node that no HyperNode has comes first of all:
# no gang with a topology needs it.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates network-topology-aware
node a1 a2 b1 b2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2

submit web/there 1 x cpu=2 on=b1
submit web/plain 5 x cpu=1
cycle
----
bind web/plain-0..1 b1
bind web/plain-2..4 b2

node lone cpu=2
submit web/later 3 x cpu=1
cycle
----
bind web/later-0..1 lone
bind web/later-2 b2

submit ml/train topology=hard:1 2 x cpu=3
cycle
----
bind ml/train-0 a2
bind ml/train-1 a1
