# A gang is pipelined as a whole: what is free now and what is being freed count
# together.
#
# One of three members fits now, two more when old has gone. None starts early, and none
# of the three places goes to another job meanwhile.

node n1 cpu=6
queue ml

submit ml/old queue=ml 1 x cpu=4
cycle
----
bind ml/old-0 n1

delete ml/old
submit ml/trio queue=ml min=3 3 x cpu=2
cycle
----
pipeline ml/trio-1..2 n1
wait ml/trio: Pipelined 2 of 3

pods
----
pod        status     node
ml/old-0   Releasing  n1
ml/trio-0  Allocated  n1
ml/trio-1  Pipelined  n1
ml/trio-2  Pipelined  n1

cycle
----
bind ml/trio-0..2 n1
