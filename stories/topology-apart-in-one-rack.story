# A gang that has to be in one rack, its pods on nodes of their own, and not with those of
# another job: a rack with room enough, but with a pod in it that the gang keeps away
# from, will not do; nor will one with room on too few nodes.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 cpu=16 label=rack:a
node b1 cpu=16 label=rack:b
node c1 c2 cpu=2 label=rack:c
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1
hypernode rack-c tier=1 nodes=c1,c2

submit db/noisy 1 x cpu=1 label=app:noisy on=a1
submit ml/train topology=hard:1 2 x cpu=1 label=app:train apart=rack@app=noisy apart=kubernetes.io/hostname@app=train
cycle
----
bind ml/train-0 c2
bind ml/train-1 c1
