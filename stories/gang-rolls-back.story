# What a gang tried in vain leaves no trace: its room goes to those behind it.
#
# simulate is first in line and needs three workers of two CPUs, but there is room for
# two only. Had it kept the places that it tried, report would find the cluster full.

class urgent 100
node n1 cpu=4
queue ml

submit ml/simulate queue=ml min=3 priority=urgent 3 x cpu=2
submit ml/report   queue=ml 1 x cpu=3
cycle
----
bind ml/report-0 n1
wait ml/simulate: never GangTooLarge 2 of 3: cpu 6 asked, 4 there; GangIncomplete 0 of 3: NotEnoughResources: cpu 2 asked, 1 free on n1

nodes
----
node  used   idle
n1    cpu=3  cpu=1
