# Of a group of nodes a queue's jobs hold no more than its annotation
# volcano.sh/nodegroup-resource-limits says, though the nodes have more: what is above that
# goes to the queue's other groups, or waits. Each queue has limits of its own.

conf
  tier priority gang
  tier predicates proportion nodegroup nodeorder

node g1 cpu=8 label=volcano.sh/nodegroup-name:gold
node g2 cpu=8 label=volcano.sh/nodegroup-name:gold
node s1 cpu=2 label=volcano.sh/nodegroup-name:silver
queue ml groups=gold,silver prefers=gold limit=gold/cpu:3
queue web groups=gold

submit x/train queue=ml 4 x cpu=1
submit x/front queue=web 8 x cpu=1
cycle
----
bind x/train-0 g2
bind x/train-1 g1
bind x/train-2 g2
bind x/train-3 s1
bind x/front-0 g1
bind x/front-1 g2
bind x/front-2 g1
bind x/front-3 g2
bind x/front-4 g1
bind x/front-5 g2
bind x/front-6 g1
bind x/front-7 g2

submit x/late queue=ml 2 x cpu=1
cycle
----
wait x/late: GangIncomplete 1 of 2: NotEnoughResources: cpu 1 asked, 0 free on s1

why x/late
----
GangIncomplete 1 of 2
  NotEnoughResources: cpu 1 asked, 0 free on s1
    NodeGroupLimit gold (cpu 3 held, 1 asked, 3 may be) on 2 nodes
    InsufficientResource cpu on s1

# One that ends makes room on all nodes of its group.
finish x/train-0
cycle 2
----
2s    bind x/late-0..1 g2 s1

# With the limit gone the group is open.
submit x/last queue=ml 1 x cpu=1
cycle
----
wait x/last: NotEnoughResources: cpu 1 asked, 0 free on s1

queue ml groups=gold,silver prefers=gold
cycle
----
bind x/last-0 g1
