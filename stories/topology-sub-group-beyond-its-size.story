# What a sub-group has to have to start may be less than its job needs of it. Here any one pod
# of a role may start, each role is to be in one rack, all of them in one row, and the job wants
# its three pods or none: the two workers go to one rack together, for both are needed.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2
hypernode row tier=2 children=rack-a,rack-b

submit ml/train min=3 topology=hard:2 subgroups=role:1:0:hard:1  1 x cpu=3 label=role:ps  2 x cpu=3 label=role:worker
cycle
----
bind ml/train-0 a2
bind ml/train-1 b2
bind ml/train-2 b1

jobs subs tasks
----
job       subs                                              tasks
ml/train  role-ps 1/1 in rack-a, role-worker 2/1 in rack-b  3 Binding

# A fourth pod is more than the minimum: it goes where its sub-group is, or waits.
grow ml/train 1 x cpu=3 label=role:worker
cycle
----
wait ml/train: TopologyNoRoom 0 of 1 (tier 1) in rack-b
