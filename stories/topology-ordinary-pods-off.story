# With hypernode.binpack.normal-pod.enable false, pods that ask for no topology are placed as
# if there were no HyperNodes: here on the node with the most room, in the emptier rack.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder network-topology-aware(hypernode.binpack.normal-pod.enable=false,weight=10)
node a1 b1 cpu=4
node b2 cpu=8
hypernode rack-a tier=1 nodes=a1
hypernode rack-b tier=1 nodes=b1,b2

submit web/on-a 1 x cpu=1 on=a1
submit web/plain 1 x cpu=1
cycle
----
bind web/plain-0 b2
