# Pods that a Service selects are spread over nodes and zones though no controller holds them together, as
# kube-scheduler and Volcano do by default: members of a Volcano Job with plugin svc, for one. Pods that no Service
# selects have no default, and a Service that comes later counts from then on.

node a1 cpu=64 label=topology.kubernetes.io/zone:a
node b1 cpu=24 label=topology.kubernetes.io/zone:b
service web/front selects=app:front
submit web/front 4 x cpu=1 label=app:front
submit web/other 4 x cpu=1 label=app:other
cycle
----
bind web/front-0 a1
bind web/front-1 b1
bind web/front-2 a1
bind web/front-3 b1
bind web/other-0..3 a1

service web/other selects=app:other
submit web/more 4 x cpu=1 label=app:other
cycle
----
bind web/more-0..3 b1

remove service web/other
submit web/last 4 x cpu=1 label=app:other
cycle
----
bind web/last-0..3 a1
