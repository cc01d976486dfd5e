# A PodGroup that is made anew for pods that run keeps no room for more than they ask for.
#
# No vote admitted it. It asks for a thousand CPUs where it asked for two: its queue and the cluster admit jobs as
# before.

conf
  actions enqueue allocate
  tier    gang overcommit predicates proportion nodeorder
node n1 cpu=8
queue q other

submit ml/own queue=q min=2 minresources=cpu:2 2 x cpu=1
cycle 2
----
0s    bind ml/own-0..1 n1

remove group ml/own
cycle
----
nothing

submit ml/own queue=q min=2 minresources=cpu:1000
submit ml/next queue=q min=1 minresources=cpu:1
submit eve/far queue=other min=1 minresources=cpu:1
cycle phases
----
phase eve/far Inqueue
phase ml/next Inqueue
phase ml/own Running
wait eve/far: NoPods
wait ml/next: NoPods

# Made anew between two cycles, too.
remove group ml/own
submit ml/own queue=q min=2 minresources=cpu:2000
submit ml/third queue=q min=1 minresources=cpu:1
cycle phases
----
phase ml/third Inqueue
phase ml/own Running
wait eve/far: NoPods
wait ml/next: NoPods
wait ml/third: NoPods
