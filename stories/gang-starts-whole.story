# A gang starts whole or not at all.
#
# Two nodes hold eight GPUs and train takes six of them. serve wants two workers of
# four: two are free, so not even one can start. Holding them for it would waste them,
# so nothing is held. When train ends, serve starts whole.

node n1 n2 gpu=4
queue ml

submit ml/train queue=ml min=3 3 x gpu=2
cycle
----
bind ml/train-0..1 n1
bind ml/train-2 n2

submit ml/serve queue=ml min=2 2 x gpu=4
cycle
----
wait ml/serve: GangIncomplete 0 of 2: NotEnoughResources: gpu 4 asked, 2 free on n2

nodes
----
node  used   idle
n1    gpu=4  -
n2    gpu=2  gpu=2

finish ml/train
cycle
----
bind ml/serve-0 n2
bind ml/serve-1 n1
