# A pod with a scheduling gate is not placed, and its gang waits for it.
#
# Two of three could start. The third is held back by its gate, so the gang
# is not complete; when the gate falls it starts.

node n1 cpu=8
queue ml

submit ml/train queue=ml min=3
  2 x cpu=1
  1 x cpu=1 gated
cycle
----
wait ml/train: SchedulingGated 1

ungate ml/train
cycle
----
bind ml/train-0..2 n1
