# No pod goes for one that would not run all the same: with the pods of `a` gone there is room
# for web, and its host port is still taken by a pod that stays.

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates proportion nodeorder
node n1 cpu=4
queue a b

submit x/first queue=b 1 x cpu=1 port=80
submit x/a queue=a min=1 3 x cpu=1
cycle 2
----
0s    bind x/a-0..2 n1
0s    bind x/first-0 n1

submit x/web queue=b 1 x cpu=1 port=80
cycle
----
wait x/web: NotEnoughResources: cpu 1 asked, 0 free on n1; reclaim VictimsTooFew 1 of 3: 2 VictimDeserved

queues deserved allocated request
----
queue  deserved  allocated  request
a      cpu=2     cpu=3      cpu=3
b      cpu=2     cpu=1      cpu=2
