# A gang may sit on as many nodes as it takes.
#
# No node has room for more than three members, and six have to start together: the
# room of all nodes counts, and the last member goes where there is still room.

node n1 n2 cpu=3
node small cpu=1
queue ml

submit ml/solver queue=ml min=6 6 x cpu=1
cycle
----
bind ml/solver-0 n1
bind ml/solver-1 n2
bind ml/solver-2 n1
bind ml/solver-3 n2
bind ml/solver-4 small
bind ml/solver-5 n1

nodes
----
node   used   idle
n1     cpu=3  -
n2     cpu=2  cpu=1
small  cpu=1  -
