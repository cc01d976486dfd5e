# A PodGroup that names a queue of its namespace (namespace/NAME, Volcano 1.16) waits: Ashlar knows the
# cluster's queues alone.

node n1 cpu=4

submit ml/train queue=namespace/training 1 x cpu=1
cycle
----
wait ml/train: QueueNotFound namespace/training

problems
----
Queue/namespace/training: spec.queue: 1 job names it, and it does not exist: it waits
