# A gang is evicted whole or not at all. So a gang at its minimum of which one member may not be evicted, by its own mark
# or by a budget that allows no disruption, stays whole: for a more important job of its queue, and for another queue
# that is owed the room.

conf
  actions enqueue allocate preempt reclaim gangpreempt gangreclaim
  tier priority gang conformance pdb
  tier predicates capacity nodeorder
class high 100
node n1 n2 n3 n4 cpu=4
queue a deserved=cpu:4
queue b deserved=cpu:8
budget ml/zero selects=app:db allowed=0 healthy=1 desired=1 expected=1

submit ml/marked   queue=a min=2 1 x cpu=4 kept 1 x cpu=4
submit ml/budgeted queue=a min=2 1 x cpu=4 label=app:db 1 x cpu=4
cycle
----
bind ml/budgeted-0 n2
bind ml/budgeted-1 n1
bind ml/marked-0 n4
bind ml/marked-1 n3

submit ml/urgent queue=a priority=high 1 x cpu=4
submit ml/owed   queue=b 1 x cpu=4
cycle 2
----
wait ml/owed: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims; reclaim NoVictims: 2 VictimBudget, 1 VictimBusy, 1 VictimKept; gangpreempt NoVictims; gangreclaim NoVictims: 2 VictimBudget, 1 VictimBusy, 1 VictimKept
wait ml/urgent: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 2 VictimBudget, 1 VictimBusy, 1 VictimKept; reclaim NoVictims: QueueDeserved a: cpu 20 with it, 4 deserved; gangpreempt NoVictims: 2 VictimBudget, 1 VictimBusy, 1 VictimKept; gangreclaim NoVictims: QueueDeserved a: cpu 20 with it, 4 deserved

pods node status
----
pod            node  status
ml/budgeted-0  n2    Running
ml/budgeted-1  n1    Running
ml/marked-0    n4    Running
ml/marked-1    n3    Running
ml/owed-0      -     Pending
ml/urgent-0    -     Pending
