# A gang that cannot start with the pods it has keeps its queue's room for five minutes, and then nothing.
#
# gated waits for a gate that nothing opens, few lacks a pod, odd lacks a sub-group. Each of them was admitted for all
# that its queue may hold. Every next is admitted once its time is over.

conf
  actions enqueue allocate
  tier    gang predicates proportion nodeorder
node n1 cpu=12
queue a b c capability=cpu:4

submit ml/gated queue=a min=2 minresources=cpu:4 1 x cpu=2 1 x cpu=2 gated
submit ml/few queue=b min=2 minresources=cpu:4 1 x cpu=4
submit ml/odd queue=c min=2 minresources=cpu:4 subgroups=team:2:2 1 x cpu=2 label=team:x 1 x cpu=2 label=team:x
cycle phases
----
phase ml/gated Inqueue
phase ml/few Inqueue
phase ml/odd Inqueue
wait ml/few: NotEnoughTasks 1 of 2
wait ml/gated: SchedulingGated 1
wait ml/odd: NotEnoughSubGroups 1 of 2: team

submit ml/next-a queue=a minresources=cpu:4 1 x cpu=4
submit ml/next-b queue=b minresources=cpu:4 1 x cpu=4
submit ml/next-c queue=c minresources=cpu:4 1 x cpu=4
run phases
----
5m1s  bind ml/next-a-0 n1
5m1s  bind ml/next-b-0 n1
5m1s  bind ml/next-c-0 n1
5m1s  phase ml/next-a Inqueue
5m1s  phase ml/next-b Inqueue
5m1s  phase ml/next-c Inqueue
5m2s  phase ml/next-a Running
5m2s  phase ml/next-b Running
5m2s  phase ml/next-c Running
wait ml/few: NotEnoughTasks 1 of 2
wait ml/gated: SchedulingGated 1
wait ml/odd: NotEnoughSubGroups 1 of 2: team
