# What a job holds above its minimum does not keep others out: it could be taken back.
#
# wide started with one member and has grown to four of four CPUs. Three of them are
# surplus, so next is admitted, although not a single CPU is free.

node n1 cpu=4
queue ml

submit ml/wide queue=ml min=1 minresources=cpu:1 4 x cpu=1
cycle
----
bind ml/wide-0..3 n1

submit ml/next queue=ml min=2 minresources=cpu:2 2 x cpu=1
cycle phases
----
phase ml/next Inqueue
phase ml/wide Running
wait ml/next: QueueOverused ml: cpu 4 deserved, 4 held

queues allocated elastic inqueue real
----
queue  allocated  elastic  inqueue  real
ml     cpu=4      cpu=3    cpu=2    cpu=4
