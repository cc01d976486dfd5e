# A gate on a member above the minimum holds back that member alone.
#
# Two of three make the gang. The third is gated: the others start without it, and what
# the job still waits for is the gate.

node n1 cpu=8
queue ml

submit ml/train queue=ml min=2
  2 x cpu=1
  1 x cpu=1 gated
cycle
----
bind ml/train-0..1 n1
wait ml/train: SchedulingGated 1

ungate ml/train
cycle
----
bind ml/train-2 n1
