# A queue that holds some of a resource of which it deserves nothing is served last.
#
# one holds the only GPU, which is guaranteed to two by now. Of cpu one holds less of what it deserves than
# two does: its job would be served first if the GPU did not count.

node n1 cpu=8 gpu=1 pods=4
queue one two

submit x/gpu queue=one 1 x gpu=1
submit x/two queue=two 1 x cpu=2
cycle
----
bind x/gpu-0 n1
bind x/two-0 n1

queue two guarantee=gpu:1
submit x/more queue=one 1 x cpu=1
submit x/next queue=two 1 x cpu=1
submit x/last queue=two 1 x cpu=1
cycle
----
bind x/last-0 n1
bind x/next-0 n1
wait x/more: NotEnoughResources: pods 1 asked, 0 free on n1

queues deserved allocated share
----
queue  deserved     allocated  share
one    cpu=1        gpu=1      over
two    cpu=4,gpu=1  cpu=4      1.00
