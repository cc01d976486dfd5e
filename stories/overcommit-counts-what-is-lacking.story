# Beside overcommit a job that was let in counts with what it does not hold yet: what its pods hold
# is in use already.
#
# Of ten CPUs twelve may be promised. train asks for eight and holds six: two are promised to it. With
# them and the six, four more may be let in.

conf
  actions enqueue allocate
  tier    gang overcommit predicates nodeorder
node n1 cpu=10

submit ml/train phase=Inqueue min=8 minresources=cpu:8 6 x cpu=1 on=n1
submit ml/five min=5 minresources=cpu:5
submit ml/four min=4 minresources=cpu:4
cycle phases
----
phase ml/four Inqueue
phase ml/train Unknown
wait ml/five: ClusterOvercommitted: cpu 13 with it, 12 may be
wait ml/four: NoPods
wait ml/train: NotEnoughTasks 6 of 8
