# Of two objects of one kind and name the last holds, and it is said.
#
# The queue is given twice, with a capability of two and of five CPUs.

node n1 cpu=8
queue ml capability=cpu:2
queue ml capability=cpu:5

submit ml/work queue=ml min=1 8 x cpu=1
cycle
----
bind ml/work-0..4 n1
wait ml/work: QueueCapability ml (held): cpu 5 with it, 5 may be

problems
----
Queue/ml: metadata.name: given twice: the last holds
