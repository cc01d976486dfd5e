# Of two nodes with as much cpu and memory left, a pod that asks for a GPU goes to the one
# where cpu, memory and GPUs are then held most alike: not all GPUs of a node are to be left
# over when its cpu is gone.

node lean  cpu=8 memory=32Gi gpu=8
node even  cpu=8 memory=32Gi gpu=8
submit ml/prepare 1 x cpu=4,memory=16Gi on=lean
submit ml/train   1 x cpu=4,memory=16Gi,gpu=3 on=even
submit ml/tune    4 x cpu=500m,memory=2Gi,gpu=1
cycle
----
bind ml/tune-0..2 even
bind ml/tune-3 lean
