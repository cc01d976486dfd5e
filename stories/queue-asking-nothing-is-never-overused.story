# A queue with nothing but jobs that ask for nothing deserves nothing and holds nothing,
# and is not overused for all that.
#
# 0 of 0 is not too much: the probes go where there is a place.

node n1 cpu=4
queue probes
queue work

submit ops/ping  queue=probes min=1 3 x nothing
submit ops/grind queue=work min=1 6 x cpu=1
cycle
----
bind ops/grind-0..3 n1
bind ops/ping-0..2 n1
wait ops/grind: QueueOverused work: cpu 4 deserved, 4 held

queues deserved allocated overused
----
queue   deserved  allocated  overused
probes  -         -          no
work    cpu=4     cpu=4      yes
