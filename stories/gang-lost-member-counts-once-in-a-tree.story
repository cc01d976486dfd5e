# In a tree of queues, too, what a gang holds and what it lacks of its minimum count once,
# at every level.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)
node n1 cpu=20
queue research capability=cpu:10
queue vision parent=research
queue speech parent=research

submit ml/train queue=vision phase=Running min=8 minresources=cpu:8 7 x cpu=1 on=n1
submit ml/three queue=speech minresources=cpu:3 3 x cpu=1
submit ml/two queue=speech minresources=cpu:2 2 x cpu=1
cycle phases
----
phase ml/two Inqueue
bind ml/two-0..1 n1
phase ml/train Unknown
wait ml/three: QueueQuotaInsufficient research: cpu 11 with it, 10 may be
wait ml/train: NotEnoughTasks 7 of 8

grow ml/train 1 x cpu=1
cycle phases
----
bind ml/train-7 n1
phase ml/two Running
wait ml/three: QueueQuotaInsufficient research: cpu 13 with it, 10 may be

queues allocated inqueue
----
queue     allocated  inqueue
research  cpu=10     -
speech    cpu=2      -
vision    cpu=8      -
