# A soft topology prefers and never refuses: the smallest domain that has room for the whole
# gang; where only the cluster has, it fills as few racks as it can. Later members go near
# those that run.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 b1 b2 c1 c2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2
hypernode rack-c tier=1 nodes=c1,c2

submit ml/on-a 1 x cpu=2 on=a1
submit ml/on-b 1 x cpu=1 on=b1
cycle
----
nothing

submit ml/pair topology=soft 2 x cpu=3
cycle
----
bind ml/pair-0 b2
bind ml/pair-1 b1

jobs hypernode tasks
----
job      hypernode  tasks
ml/on-a             1 Running
ml/on-b             1 Running
ml/pair  rack-b     2 Binding

submit ml/train topology=soft 9 x cpu=1
cycle
----
bind ml/train-0 c1
bind ml/train-1 c2
bind ml/train-2 c1
bind ml/train-3 c2
bind ml/train-4 c1
bind ml/train-5 c2
bind ml/train-6 c1
bind ml/train-7 c2
bind ml/train-8 a2

jobs hypernode tasks
----
job       hypernode  tasks
ml/on-a              1 Running
ml/on-b              1 Running
ml/pair   rack-b     2 Running
ml/train             9 Binding

grow ml/pair 1 x cpu=1
cycle
----
bind ml/pair-2 b2
