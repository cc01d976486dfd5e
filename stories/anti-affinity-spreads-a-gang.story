# Members of a gang that must not share a node each get one of their own, though one node
# has room for all of them. A gang with more members than there are nodes does not start at
# all: the constraint holds for its members taken together.

node n1 n2 n3 cpu=16
submit web/front label=app:front apart=host@app=front  3 x cpu=1
cycle
----
bind web/front-0 n1
bind web/front-1 n3
bind web/front-2 n2

submit web/wide label=app:wide apart=host@app=wide  4 x cpu=1
cycle
----
wait web/wide: GangIncomplete 3 of 4: PodAntiAffinity: app=wide by kubernetes.io/hostname on 3 nodes

why web/wide
----
GangIncomplete 3 of 4
  PodAntiAffinity: app=wide by kubernetes.io/hostname on 3 nodes
    PodAntiAffinity app=wide by kubernetes.io/hostname on 3 nodes
