# A queue that names no capability has its parent's, and one that names more than its
# parent may hold gains nothing by it.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=20 gpu=8
queue team capability=cpu:6
queue heir parent=team
queue vain parent=team capability=cpu:12

submit ml/train queue=heir min=1 8 x cpu=1
submit ml/tune  queue=vain min=1 1 x gpu=1
run
----
0s    bind ml/train-0..5 n1
0s    bind ml/tune-0 n1
wait ml/train: QueueCapability heir: cpu 7 with it, 6 may be

queues capability real allocated
----
queue  capability  real         allocated
heir   -           cpu=6,gpu=8  cpu=6
team   cpu=6       cpu=6,gpu=8  cpu=6,gpu=1
vain   cpu=12      cpu=6,gpu=8  gpu=1

problems
----
Queue/vain: spec.capability.cpu: it is 12, and queue team above may hold 6: that holds
