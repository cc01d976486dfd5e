# A gang that neither its queue nor the nodes have room for is told of the nodes first, whether or not
# some pod of the cluster terminates that has nothing to do with it. The gang of five may go to n1,
# which has room for three, and its queue may hold two.

node n1 cpu=3 label=for:ml
node n2 cpu=3
queue ml capability=cpu:2
queue other

submit other/old queue=other 1 x cpu=3 grace=1h
submit ml/gang queue=ml 5 x cpu=1 selector=for:ml
cycle
----
bind other/old-0 n2
wait ml/gang: never QueueTooSmall ml: cpu 5 asked, 2 there; GangIncomplete 3 of 5: NotEnoughResources: cpu 1 asked, 0 free on n1

delete other/old-0
cycle
----
wait ml/gang: never QueueTooSmall ml: cpu 5 asked, 2 there; GangIncomplete 3 of 5: NotEnoughResources: cpu 1 asked, 0 free on n1
