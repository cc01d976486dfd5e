# Enough pods of the wrong role are not enough.
#
# Four workers exist and a minimum of three is asked, but one of the three must be a
# server, and there is none yet. The reason names the role.

node n1 cpu=8
queue ml

submit ml/train queue=ml min=3 minroles=ps:1,worker:2 4 x cpu=1 as worker
cycle
----
wait ml/train: NotEnoughPodsOfTask 0 of 1: ps

grow ml/train 1 x cpu=1 as ps
cycle
----
bind ml/train-worker-0 n1
bind ml/train-ps-0 n1
bind ml/train-worker-1..3 n1
