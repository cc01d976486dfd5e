# Every tier counts for pods that ask for no topology, the higher the less: of two racks the
# one with a little less on it is taken where the row that it is in is much fuller. What a
# tier weighs beside the one below it is 0.8.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates network-topology-aware
node a1 a2 b1 b2 c1 c2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2
hypernode rack-c tier=1 nodes=c1,c2
hypernode row-1 tier=2 children=rack-a
hypernode row-2 tier=2 children=rack-b,rack-c

submit web/on-a 1 x cpu=2 on=a1
submit web/on-b 1 x cpu=1 on=b1
submit web/on-c 1 x cpu=4 on=c1
submit web/on-c2 1 x cpu=4 on=c2
submit web/plain 1 x cpu=1
cycle
----
bind web/plain-0 b1
