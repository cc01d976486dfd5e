# Room on both nodes is kept for job3 of ops, in the tree of team. When job5 of the same tree is served, blue comes
# before team. A pod of blue was refused before and fits in the kept room. It takes that room in the next cycle, and not
# in this one: so it is the same whether it was tried again in this cycle or not.

conf
  actions enqueue preempt allocate gangreclaim
  tier    priority gang
  tier    predicates capacity(enableHierarchy=true)
class urgent 100
queue blue
queue team deserved=cpu:3
queue dev parent=team
queue ops parent=team
node n1 cpu=5 gpu=0 pods=2
node n2 cpu=5 gpu=2 pods=1 elsewhere
submit x/job0 queue=dev min=2 at=3s 2 x cpu=1 nominated=n2 for=5s
submit x/job1 queue=blue min=3 priority=urgent 4 x cpu=2 as w for=2s 1 x cpu=1 for=2s
submit x/job3 queue=ops min=2 priority=urgent 3 x cpu=2 as ps queue-gated 3 x cpu=1,gpu=1 selector=zone:east for=5s
submit x/job5 queue=dev min=1 4 x cpu=3 queue-gated
run until=1h
----
0s    bind x/job1-0 n1
0s    bind x/job1-w-0..1 n1 n2
0s    open x/job3-ps-0..2
0s    open x/job5-0..3
3s    bind x/job0-0..1 n1 n2
3s    bind x/job5-0 n1
9s    bind x/job5-1 n2
10s   bind x/job1-w-2 n1
13s   bind x/job1-w-3 n1
wait x/job3: GangIncomplete 1 of 2: NodeSelector: on 2 nodes; preempt NoVictims; gangreclaim NoVictims: QueueDeserved ops: cpu 1 with it, 0 deserved; gpu 1 with it, 0 deserved
wait x/job5: NotEnoughResources: cpu 3 asked, 2 free on n1
