# Beside overcommit a job that was admitted counts with what it does not hold yet: what its pods hold
# is in use already.
#
# With ten CPUs, jobs are admitted for twelve. train asks for eight and holds six: two are kept for it. With
# them and the six, four more may be admitted.

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
