# Pods of another queue that hold none of what is missing stay: to evict them would help no job
# (seed 001 §5.1, branch shouldSkipReclaimee).

conf
  actions enqueue allocate backfill reclaim
  tier priority gang conformance
  tier predicates capacity nodeorder

node n1 cpu=8 gpu=2
node n2 cpu=8 gpu=1 cordoned
queue own deserved=gpu:3,cpu:4
queue sums deserved=cpu:2

submit ml/sums queue=sums min=1 4 x cpu=1
submit ml/gpus queue=own min=1 2 x gpu=1
cycle
----
bind ml/gpus-0 n1
bind ml/sums-0 n1
bind ml/gpus-1 n1
bind ml/sums-1..3 n1

submit ml/third queue=own 1 x gpu=1
cycle
----
wait ml/third: NotEnoughResources: gpu 1 asked, 0 free on n1; reclaim NoVictims: 4 VictimOfNoUse
