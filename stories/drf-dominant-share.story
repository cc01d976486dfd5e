# Of two jobs of a queue the one with the smaller dominant share, its largest part of the
# cluster, goes first: dominant resource fairness.
#
# This is the example of the paper, with 9 cpu and 18Gi. A pod of scan takes 1/9 of the
# cpu and 2/9 of the memory, one of solve 1/3 of the cpu. Served by turns of the smaller
# share they end level: three pods of scan hold 2/3 of the memory, two of solve 2/3 of
# the cpu.

conf
  actions enqueue allocate
  tier    gang drf
  tier    predicates nodeorder
node n1 cpu=9 memory=18Gi
queue lab

submit lab/scan  queue=lab min=1 9 x cpu=1,memory=4Gi
submit lab/solve queue=lab min=1 9 x cpu=3,memory=1Gi
cycle
----
bind lab/scan-0 n1
bind lab/solve-0 n1
bind lab/scan-1 n1
bind lab/solve-1 n1
bind lab/scan-2 n1
wait lab/scan: NotEnoughResources: cpu 1 asked, 0 free on n1
wait lab/solve: NotEnoughResources: cpu 3 asked, 0 free on n1
