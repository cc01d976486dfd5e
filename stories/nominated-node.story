# A pod goes to the node it is nominated for while that takes it, be another better.
#
# n2 is empty and would be the better place. kept is nominated for n1, and goes there;
# full is nominated for a node without room, and goes where there is some.

node n1 cpu=4
node n2 cpu=16
node n3 cpu=1
queue ml

submit ml/kept queue=ml 1 x cpu=2 nominated=n1
submit ml/full queue=ml 1 x cpu=2 nominated=n3
cycle
----
bind ml/full-0 n2
bind ml/kept-0 n1
