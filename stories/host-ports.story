# Two pods cannot have one host port on one node.
#
# There is room for all four, and there are two nodes: two of the three pods that want
# port 80 find a node, and the third waits until one of them has gone.

node n1 n2 cpu=8
queue web

submit web/front queue=web min=1 3 x cpu=1 port=80
submit web/other queue=web min=1 1 x cpu=1 port=8080
cycle
----
bind web/front-0 n1
bind web/other-0 n2
bind web/front-1 n2
wait web/front: NodePorts: 80/TCP on 2 nodes

why web/front
----
NodePorts: 80/TCP on 2 nodes
  NodePorts 80/TCP on 2 nodes

delete web/front-0
cycle
----
pipeline web/front-2 n1

cycle
----
bind web/front-2 n1
