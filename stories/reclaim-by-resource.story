# What a queue holds of one resource is no reason to keep from it what it deserves of another.
#
# q6 holds twice the CPUs that it deserves and none of its ten GPUs, all of which q5 holds
# beside its own ten. The pods of q5 ask for no CPU, so nothing that they lose lets them claim
# anything back.

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity nodeorder
node n1 cpu=40 gpu=20
queue q5 deserved=gpu:10,cpu:5
queue q6 deserved=gpu:10,cpu:5

submit ml/devices queue=q5 min=1 20 x gpu=1
submit ml/cores queue=q6 min=1 10 x cpu=1
cycle
----
bind ml/devices-0 n1
bind ml/cores-0 n1
bind ml/devices-1..2 n1
bind ml/cores-1 n1
bind ml/devices-3..4 n1
bind ml/cores-2 n1
bind ml/devices-5..6 n1
bind ml/cores-3 n1
bind ml/devices-7..8 n1
bind ml/cores-4 n1
bind ml/devices-9..10 n1
bind ml/cores-5 n1
bind ml/devices-11..12 n1
bind ml/cores-6 n1
bind ml/devices-13..14 n1
bind ml/cores-7 n1
bind ml/devices-15..16 n1
bind ml/cores-8 n1
bind ml/devices-17..18 n1
bind ml/cores-9 n1
bind ml/devices-19 n1

submit ml/train queue=q6 2 x gpu=1,cpu=2
run
----
1s    evict ml/devices-18..19 n1 for ml/train-0
1s    nominate ml/train-0..1 n1
2s    bind ml/train-0..1 n1

queues allocated deserved
----
queue  allocated     deserved
q5     gpu=18        cpu=5,gpu=10
q6     cpu=14,gpu=2  cpu=5,gpu=10
