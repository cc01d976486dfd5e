# A node that offers nothing, and one with invalid quantities, take no pods and
# count for nothing; the cluster is what is left.

node good cpu=4
node bare pods=0
node wild cpu=9000 fault=status.allocatable.cpu
queue ml

submit ml/work queue=ml min=1 8 x cpu=1
cycle
----
bind ml/work-0..3 good
wait ml/work: QueueOverused ml: cpu 4 deserved, 4 held

queues deserved real
----
queue  deserved  real
ml     cpu=4     cpu=4

problems
----
Node/wild: status.allocatable.cpu: the value makes no sense
