# While a node more would cure the wait the reason says so, for autoscalers act on it.
#
# The cluster has no nodes, then one without GPUs. The queue may hold as much as there
# is: it is not its part that is used up, it is nodes that are missing.

queue ml

submit ml/train queue=ml 2 x gpu=4
cycle
----
wait ml/train: GangIncomplete 0 of 2: NoNodes

node n1 cpu=8
cycle
----
wait ml/train: never PodTooLarge ml/train-0: gpu 4 asked, 0 there; GangIncomplete 0 of 2: NotEnoughResources: gpu 4 asked, 0 free on n1
