# Replicas of one ReplicaSet are spread over nodes and zones though they do not ask for it, as
# kube-scheduler and Volcano do by default: a node, or a zone, that fails takes few of them. It is
# a preference: with one zone full they go where room is. A pod that asks for spread itself has no default.

node a1 cpu=64 label=topology.kubernetes.io/zone:a
node b1 cpu=12 label=topology.kubernetes.io/zone:b
submit web/front no-group owner=ReplicaSet.apps/front/u1 4 x cpu=1
cycle
----
bind web/front-0 a1
bind web/front-1 b1
bind web/front-2 a1
bind web/front-3 b1

submit web/job 4 x cpu=1
cycle
----
bind web/job-0..3 a1

submit web/more no-group owner=ReplicaSet.apps/more/u2 24 x cpu=1
cycle
----
bind web/more-0 a1
bind web/more-1 b1
bind web/more-2 a1
bind web/more-3 b1
bind web/more-4 a1
bind web/more-5 b1
bind web/more-6 a1
bind web/more-7 b1
bind web/more-8 a1
bind web/more-9 b1
bind web/more-10 a1
bind web/more-11 b1
bind web/more-12..13 a1
bind web/more-14 b1
bind web/more-15 a1
bind web/more-16 b1
bind web/more-17 a1
bind web/more-18 b1
bind web/more-19..20 a1
bind web/more-21 b1
bind web/more-22..23 a1
