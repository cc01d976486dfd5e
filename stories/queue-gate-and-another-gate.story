# A queue opens no gate to a gang that waits for another gate as well.
#
# Two of three members stand at the gate of their queue, which has room for all. The third has
# a gate that another controller opens. Were the two let through, an autoscaler would make
# nodes for them, and they would count as held, though the gang cannot start.

conf
  tier priority gang
  tier predicates proportion

node n1 cpu=4
queue ml

submit ml/train queue=ml min=3 2 x cpu=1 queue-gated
  1 x cpu=1 gated
cycle
----
wait ml/train: SchedulingGated 3

ungate ml/train-2
cycle
----
open ml/train-0..1
wait ml/train: SchedulingGated 2

cycle
----
bind ml/train-0..2 n1
