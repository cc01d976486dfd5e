# No queue holds more than its capability, even when the rest of the cluster is idle.
#
# Twenty CPUs are free, and guests may have six.

node n1 cpu=20
queue guests capability=cpu:6

submit team/demo queue=guests min=1 10 x cpu=1
cycle
----
bind team/demo-0..5 n1
wait team/demo: QueueCapability guests (held): cpu 6 with it, 6 may be

queues deserved capability real overused
----
queue   deserved  capability  real   overused
guests  cpu=6     cpu=6       cpu=6  yes
