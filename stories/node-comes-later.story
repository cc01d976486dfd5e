# A node that comes later cures the wait for room, without a change to the job.
#
# The one node there is has two GPUs and the gang needs two times four.

node n1 gpu=2
queue ml

submit ml/train queue=ml 2 x gpu=4
cycle
----
wait ml/train: never PodTooLarge ml/train-0: gpu 4 asked, 2 there; GangIncomplete 0 of 2: NotEnoughResources: gpu 4 asked, 2 free on n1

node n2 gpu=4
cycle
----
wait ml/train: never GangTooLarge 1 of 2: gpu 8 asked, 6 there; GangIncomplete 1 of 2: NotEnoughResources: gpu 4 asked, 0 free on n2

node n3 gpu=4
cycle
----
bind ml/train-0 n2
bind ml/train-1 n3
