# A PodGroup that asks for more, once it is admitted, keeps no room of its queue for that.
#
# Any tenant may patch its PodGroup. own runs with two CPUs of eight, and then asks for a thousand, or for six that
# the queue could hold. No vote admitted it for these, and its pods ask for none of it: next is admitted at once.

conf
  actions enqueue allocate
  tier    gang overcommit predicates proportion nodeorder
node n1 cpu=8
queue q other

submit ml/own queue=q min=2 minresources=cpu:2 2 x cpu=1
cycle 2
----
0s    bind ml/own-0..1 n1

edit ml/own minresources=cpu:1000
submit ml/next queue=q min=2 minresources=cpu:2 2 x cpu=1
submit eve/far queue=other min=2 minresources=cpu:2 2 x cpu=1
cycle phases
----
phase eve/far Inqueue
phase ml/next Inqueue
bind eve/far-0..1 n1
bind ml/next-0..1 n1

edit ml/own minresources=cpu:2
cycle
----
nothing

edit ml/own minresources=cpu:6
submit ml/third queue=q min=2 minresources=cpu:2
cycle phases
----
phase ml/third Inqueue
wait ml/third: NoPods

queues inqueue allocated
----
queue  inqueue  allocated
other  -        cpu=2
q      cpu=2    cpu=4

# A million members that are to come keep no more.
edit ml/own min=1000000 minresources=cpu:1000
submit ml/fourth queue=q min=1 minresources=cpu:1
cycle phases
----
phase ml/fourth Inqueue
phase ml/own Unknown
wait ml/fourth: NoPods
wait ml/own: NotEnoughTasks 2 of 1000000
wait ml/third: NoPods
