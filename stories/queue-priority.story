# A queue of higher priority is served first, whatever the shares say.
#
# The node has one place for a pod. Both queues hold nothing and deserve the same; calm
# comes first by name, and rush all the same goes first.

node n1 cpu=4 pods=1
queue calm
queue rush priority=10

submit ops/later queue=calm 1 x cpu=1
submit ops/now   queue=rush 1 x cpu=1
cycle
----
bind ops/now-0 n1
wait ops/later: NotEnoughResources: pods 1 asked, 0 free on n1

queues priority deserved allocated
----
queue  priority  deserved  allocated
calm   0         cpu=1     -
rush   10        cpu=1     cpu=1
