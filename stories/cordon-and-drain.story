# A cordoned node takes no new pods; a drained one gives up those it has, and what owns
# them makes new ones, which go elsewhere.

node n1 cpu=8
queue web

submit web/shop queue=web min=1 2 x cpu=2 owned
cycle
----
bind web/shop-0..1 n1

cordon n1
submit web/blog queue=web 1 x cpu=2
cycle
----
wait web/blog: NodeUnschedulable: on n1

drain n1
cycle
----
wait web/blog: NodeUnschedulable: on n1

node n2 cpu=8
cycle
----
bind web/shop-0 n2
bind web/blog-0 n2
bind web/shop-1 n2
