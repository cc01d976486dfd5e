# By default pods spread: a task goes to the node with most room.

node n1 n2 n3 cpu=4
queue web

submit web/shop queue=web min=1 6 x cpu=1
cycle
----
bind web/shop-0 n1
bind web/shop-1 n2
bind web/shop-2 n3
bind web/shop-3 n1
bind web/shop-4 n2
bind web/shop-5 n3

nodes
----
node  used   idle
n1    cpu=2  cpu=2
n2    cpu=2  cpu=2
n3    cpu=2  cpu=2
