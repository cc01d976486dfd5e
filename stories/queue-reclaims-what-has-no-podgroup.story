# A tenant that deletes the PodGroups of what runs keeps none of it from being taken back: each such
# job may be a victim as a whole, since its minimum is not known any more.
#
# Queue own deserves 2 CPUs of the 8 and holds 6 in three gangs without a PodGroup.

conf
  actions enqueue allocate reclaim backfill
  tier priority gang
  tier predicates proportion
node n1 cpu=8
queue own
queue other weight=3

submit own/first queue=own min=1 2 x cpu=1
submit own/second queue=own min=1 2 x cpu=1
submit own/third queue=own min=1 2 x cpu=1
cycle
----
bind own/first-0 n1
bind own/second-0 n1
bind own/third-0 n1
bind own/first-1 n1
bind own/second-1 n1
bind own/third-1 n1

remove group own/first
remove group own/second
remove group own/third
submit other/due queue=other min=6 6 x cpu=1
cycle 6
----
1s    evict own/second-0..1 n1 for other/due-0
1s    evict own/third-0..1 n1 for other/due-0
1s    nominate other/due-0..5 n1
2s    bind other/due-0..5 n1

queues allocated
----
queue  allocated
other  cpu=6
own    cpu=2
