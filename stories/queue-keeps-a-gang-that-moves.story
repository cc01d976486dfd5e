# A PodGroup that runs and names another queue counts where it was let run until it ends: neither
# queue is passed by. Its later pods count there too. Then it counts in the queue that it names.

node n1 cpu=16
queue small capability=cpu:4
queue big   capability=cpu:8

submit ml/train queue=small min=2 2 x cpu=2
submit ml/fills queue=big 6 x cpu=1
cycle
----
bind ml/fills-0..5 n1
bind ml/train-0..1 n1

edit ml/train queue=big
grow ml/train 1 x cpu=2
submit ml/more queue=small 1 x cpu=1
cycle
----
wait ml/more: QueueCapability small (held): cpu 4 with it, 4 may be
wait ml/train: QueueCapability small (held): cpu 4 with it, 4 may be

queues allocated
----
queue  allocated
big    cpu=6
small  cpu=4

problems
----
PodGroup/ml/train: spec.queue: it names "big"; what runs of it was let run in "small" and counts there until it ends

# One that waits moves at once.
edit ml/more queue=big
cycle
----
bind ml/more-0 n1
wait ml/train: QueueCapability small (held): cpu 4 with it, 4 may be

finish ml/train
cycle
----
wait ml/train: QueueCapability big: cpu 9 with it, 8 may be

queues allocated
----
queue  allocated
big    cpu=7
small  -
