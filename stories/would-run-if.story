# What would make a job run: the smallest changes, each of which the engine has tried on a copy of the cluster.
#
# Those that the job's owner can make come first. One of them may evict others; where no single change of others is
# enough, two are told together.

conf
  actions enqueue allocate preempt backfill
  tier priority gang conformance
  tier predicates capacity nodeorder

class high 100
node n1 cpu=8 gpu=4
node n2 cpu=8 gpu=4
node n3 cpu=8 gpu=8 taint=dedicated=gpu:NoSchedule
queue ml
queue lab capability=cpu:4

submit ml/half  queue=ml 2 x cpu=1,gpu=3
submit ml/fill  queue=ml 1 x cpu=5
submit ml/wide  queue=ml 1 x cpu=6
cycle
----
bind ml/fill-0 n1
bind ml/half-0 n2
bind ml/half-1 n1
bind ml/wide-0 n2

submit ml/train queue=ml min=4 4 x cpu=1,gpu=1
submit lab/big  queue=lab min=3 3 x cpu=2
submit ml/huge  queue=ml 1 x cpu=9
run until=10s
----
wait lab/big: never QueueTooSmall lab: cpu 6 asked, 4 there; GangIncomplete 1 of 3: NotEnoughResources: cpu 2 asked, 1 free on n2
wait ml/huge: never PodTooLarge ml/huge-0: cpu 9 asked, 8 there; NotEnoughResources: cpu 9 asked, 2 free on n1
wait ml/train: GangIncomplete 2 of 4: NotEnoughResources: gpu 1 asked, 0 free on n1; preempt NoVictims: 4 VictimNotLower

would-run ml/train
----
minMember 2 instead of 4
its pods tolerate taint dedicated=gpu:NoSchedule, which 1 node has
priority class high (100 instead of 0), which evicts ml/half-0 and ml/half-1
1 more cpu and 2 more nvidia.com/gpu free on node n1
1 more node like n1
after ml/half ends

would-run lab/big
----
minMember 1 instead of 3
its pods ask for 1 cpu each instead of 2
2 more cpu free on node n1, and 1 more cpu free on node n2, and queue lab: capability 2 cpu higher

would-run ml/huge
----
its pods ask for 2 cpu each instead of 9

would-run ml/half
----
it does not wait
