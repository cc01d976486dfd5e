# A job that asks for more than the capability of its queue, or of one above it, or that has a member or a role for
# which no node is large enough, holds back no other job: it would do so for ever.

conf
  actions allocate
  tier    priority gang
  tier    predicates capacity(enableHierarchy=true) nodeorder
node n1 n2 cpu=16
queue dept capability=cpu:16 deserved=cpu:16
queue ml   parent=dept dequeue=fifo capability=cpu:24 deserved=cpu:8
queue data dequeue=fifo capability=cpu:8 deserved=cpu:8
queue free dequeue=fifo deserved=cpu:8

submit data/huge   queue=data 1 x cpu=10
submit data/small  queue=data 1 x cpu=1 for=5m at=5s
submit ml/huge     queue=ml 2 x cpu=10
submit ml/small    queue=ml 1 x cpu=1 for=5m at=5s
submit free/member queue=free 1 x cpu=17 1 x cpu=1
submit free/roles  queue=free min=2 minroles=ps:1,worker:1 1 x cpu=17 as ps 4 x cpu=1 as worker
submit free/sum    queue=free 2 x cpu=16 2 x cpu=15
submit free/small  queue=free 1 x cpu=1 for=5m at=5s
run until=5m6s
----
5s    bind data/small-0 n1
5s    bind free/small-0 n1
5s    bind ml/small-0 n2
wait data/huge: never QueueTooSmall data: cpu 10 asked, 8 there; QueueCapability data: cpu 10 with it, 8 may be
wait free/member: never PodTooLarge free/member-0: cpu 17 asked, 16 there; GangIncomplete 0 of 2: NotEnoughResources: cpu 17 asked, 16 free on n1
wait free/roles: GangIncomplete 2 of 2: NotEnoughResources: cpu 17 asked, 16 free on n1
wait free/sum: never GangTooLarge 0 of 4: cpu 62 asked, 32 there; GangIncomplete 2 of 4: NotEnoughResources: cpu 15 asked, 0 free on n1
wait ml/huge: GangIncomplete 1 of 2: QueueCapability ml: cpu 20 with it, 16 may be
