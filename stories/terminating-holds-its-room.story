# A pod that terminates holds its room until it is gone.
#
# Nothing is bound onto n1 while the old pod is there, for the kubelet would refuse it.

node n1 cpu=4
queue web

submit web/old queue=web 1 x cpu=4
cycle
----
bind web/old-0 n1

delete web/old
submit web/new queue=web 1 x cpu=4
cycle
----
pipeline web/new-0 n1
wait web/new: Pipelined 1 of 1

nodes used idle releasing
----
node  used   idle  releasing
n1    cpu=4  -     cpu=4

cycle
----
bind web/new-0 n1

nodes used idle releasing
----
node  used   idle  releasing
n1    cpu=4  -     -
