# What no node offers yet is no reason to keep a job out: its pods have to exist before
# a cluster can grow for them. Once there is some of it, the factor holds.

conf
  actions enqueue
  tier    overcommit
node n1 cpu=4

submit ml/train min=1 minresources=gpu:64
cycle phases
----
phase ml/train Inqueue
wait ml/train: NoPods

node g1 gpu=8
submit ml/tune min=1 minresources=gpu:1
cycle phases
----
wait ml/train: NoPods
wait ml/tune: ClusterOvercommitted: gpu 65 with it, 9600m may be
