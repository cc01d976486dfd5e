# What runs counts in the queue in which it was let run until it ends, and can be a victim there:
# not even a PodGroup that is edited until it is invalid, or deleted, gives its queue room.
#
# The tenant of queue own may hold 4 CPUs and holds them with two gangs.

conf
  actions enqueue allocate reclaim backfill
  tier priority gang
  tier predicates proportion
node n1 cpu=8
queue own capability=cpu:4
queue other weight=3

submit own/edited queue=own min=1 2 x cpu=1
submit own/deleted queue=own min=1 2 x cpu=1
cycle
----
bind own/deleted-0 n1
bind own/edited-0 n1
bind own/deleted-1 n1
bind own/edited-1 n1

edit own/edited fault=spec.minResources.cpu
remove group own/deleted
submit own/more queue=own min=1 2 x cpu=1
cycle
----
wait own/more: QueueCapability own (held): cpu 4 with it, 4 may be; reclaim NoVictims: QueueCapability own: cpu 5 with it, 4 may be

queues allocated
----
queue  allocated
other  -
own    cpu=4

# The other queue deserves six of the eight and gets them.
submit other/due queue=other min=6 6 x cpu=1
cycle 4
----
2s    evict own/edited-0..1 n1 for other/due-0
2s    nominate other/due-0..5 n1
3s    bind other/due-0..5 n1
wait own/edited: InvalidObject: spec.minResources.cpu: the value makes no sense
wait own/more: QueueOverused own: cpu 2 deserved, 2 held; reclaim NoVictims: QueueDeserved own: cpu 3 with it, 2 deserved

jobs queue
----
job          queue
other/due    other
own/deleted  own
own/edited   own
own/more     own
