# Where nothing tells two things apart their names do, so that the same cluster always
# gets the same answer.
#
# Four equal jobs of two equal queues want the one place for a pod. In whatever order
# they are told, the first queue's first job gets it.

node n1 cpu=4 pods=1
queue beta alpha

submit x/d queue=beta  1 x cpu=1
submit x/b queue=alpha 1 x cpu=1
submit x/c queue=beta  1 x cpu=1
submit x/a queue=alpha 1 x cpu=1
cycle
----
bind x/a-0 n1
wait x/b: NotEnoughResources: pods 1 asked, 0 free on n1
wait x/c: NotEnoughResources: pods 1 asked, 0 free on n1
wait x/d: NotEnoughResources: pods 1 asked, 0 free on n1
