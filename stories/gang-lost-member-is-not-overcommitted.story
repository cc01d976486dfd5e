# Beside overcommit, too, a gang that has lost a member stays admitted, and the room that it
# lacks is counted once.
#
# Of ten CPUs twelve may be admitted. train holds seven and lacks one: four more are admitted.

conf
  tier priority gang
  tier overcommit predicates
node n1 cpu=10
queue q

submit ml/train queue=q phase=Running min=8 minresources=cpu:8 7 x cpu=1 on=n1
submit ml/five queue=q minresources=cpu:5 5 x cpu=1
submit ml/four queue=q minresources=cpu:4 4 x cpu=1
cycle phases
----
phase ml/four Inqueue
phase ml/train Unknown
wait ml/five: ClusterOvercommitted: cpu 13 with it, 12 may be
wait ml/four: GangIncomplete 3 of 4: NotEnoughResources: cpu 1 asked, 0 free on n1
wait ml/train: NotEnoughTasks 7 of 8

grow ml/train 1 x cpu=1
cycle phases
----
bind ml/train-7 n1
wait ml/five: ClusterOvercommitted: cpu 17 with it, 12 may be
wait ml/four: GangIncomplete 2 of 4: NotEnoughResources: cpu 1 asked, 0 free on n1
