# A pod that is set aside is given no node. One that runs holds all that can be read of it,
# of whichever scheduler it is: nothing is placed where it sits, and its queue has it.
#
# Both running pods hold a port and all of their nodes' cpu but one.

node n1 n2 cpu=4
queue ml capability=cpu:4
queue ops

submit kube-system/odd no-group scheduler=default-scheduler 1 x cpu=3 on=n1 port=80 fault=spec.affinity
submit ml/odd queue=ml min=1
  1 x cpu=3 on=n2 port=80 fault=spec.affinity
  1 x cpu=1 fault=spec.affinity
submit ops/two queue=ops min=1 2 x cpu=2
submit ops/port queue=ops 1 x cpu=1 port=80
submit ml/two queue=ml min=2 2 x cpu=1
cycle
----
wait ml/odd: InvalidObject ml/odd-1: spec.affinity: the value makes no sense
wait ml/two: GangIncomplete 1 of 2: QueueCapability ml: cpu 5 with it, 4 may be
wait ops/port: NodePorts: 80/TCP on 2 nodes
wait ops/two: NotEnoughResources: cpu 2 asked, 1 free on n1

queues allocated request
----
queue  allocated  request
ml     cpu=3      cpu=5
ops    -          cpu=5

nodes
----
node  used   idle
n1    cpu=3  cpu=1
n2    cpu=3  cpu=1

# When it ends, its room is room like any other.
finish kube-system/odd
cycle
----
bind ops/port-0 n1
bind ops/two-0 n1
wait ml/odd: InvalidObject ml/odd-1: spec.affinity: the value makes no sense
wait ml/two: GangIncomplete 1 of 2: QueueCapability ml: cpu 5 with it, 4 may be
wait ops/two: QueueDeserved ops: cpu 5 with it, 4 deserved

problems
----
Pod/kube-system/odd: spec.affinity: the value makes no sense
Pod/ml/odd-0: spec.affinity: the value makes no sense
Pod/ml/odd-1: spec.affinity: the value makes no sense
