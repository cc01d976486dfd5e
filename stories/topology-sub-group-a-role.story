# A gang of three with one sub-group a role, each within one rack, and all within one row of two
# racks. Its policy asks for no number of sub-groups. One rack has room for two of them: they
# start there, and the third in the other one.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2
hypernode row tier=2 children=rack-a,rack-b

submit ml/train min=3 topology=hard:2 subgroups=role:1:0:hard:1  1 x cpu=3 label=role:ps  1 x cpu=3 label=role:chief  1 x cpu=3 label=role:worker
cycle
----
bind ml/train-1 a2
bind ml/train-0 a1
bind ml/train-2 b2
