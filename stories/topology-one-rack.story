# A gang that asks for one rack (hard, tier 1) goes into one, whole: into the fullest that has
# room for all of it, so that the empty one stays whole for a larger gang.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2

submit ml/small 1 x cpu=1 selector=kubernetes.io/hostname:b1
cycle
----
bind ml/small-0 b1

submit ml/train topology=hard:1 4 x cpu=1
cycle
----
bind ml/train-0 b2
bind ml/train-1 b1
bind ml/train-2 b2
bind ml/train-3 b1

submit ml/large topology=hard:1 8 x cpu=1
cycle
----
bind ml/large-0 a2
bind ml/large-1 a1
bind ml/large-2 a2
bind ml/large-3 a1
bind ml/large-4 a2
bind ml/large-5 a1
bind ml/large-6 a2
bind ml/large-7 a1
