# A gang of which some pods have not been created yet is no candidate: it waits for them,
# and takes nothing meanwhile.
#
# The controller has made two of three pods. There is room enough, but two are no gang.

node n1 cpu=8
queue ml

submit ml/train queue=ml min=3 2 x cpu=1
cycle
----
wait ml/train: NotEnoughTasks 2 of 3

grow ml/train 1 x cpu=1
cycle
----
bind ml/train-0..2 n1
