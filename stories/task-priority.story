# Within a job the more important member is served first.
#
# There is room for two of four. The checkpointer has the highest number, and it is the
# one that matters most.

node n1 cpu=2
queue ml

submit ml/train queue=ml min=1
  3 x cpu=1
  1 x cpu=1 pod-priority=1000
cycle
----
bind ml/train-3 n1
bind ml/train-0 n1
wait ml/train: QueueOverused ml: cpu 2 deserved, 2 held
