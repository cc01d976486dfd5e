# When the hours of a zone end, a job that only its nodes could hold gives its queue's room
# back, also if they refused it before because they were full.
#
# batch was admitted while the zone was open. It could start as soon as guest was gone, so its
# queue keeps four CPUs for it. At two o'clock the zone closes, and no other node has four.
# small needs three, of ten that its queue may hold. Its pods are made once it is admitted: if
# batch kept its four, small would wait outside although three nodes are empty.

conf
  tier priority gang tdm(tdm.revocable-zone.rz=01:00-02:00)
  tier predicates proportion nodeorder
node lent cpu=4 label=volcano.sh/revocable-zone:rz
node own-1 own-2 own-3 cpu=3
queue ml capability=cpu:10

submit ml/guest queue=ml 1 x cpu=4 revocable
run until=1h
----
1h    bind ml/guest-0 lent

submit ml/batch queue=ml minresources=cpu:4 1 x cpu=4 revocable
cycle phases
----
phase ml/batch Inqueue
phase ml/guest Running
wait ml/batch: NotEnoughResources: cpu 4 asked, 0 free on lent

queues inqueue allocated
----
queue  inqueue  allocated
ml     cpu=4    cpu=4

run until=2h
----
wait ml/batch: NotEnoughResources: cpu 4 asked, 3 free on own-1

submit ml/small queue=ml min=3 minresources=cpu:3
cycle phases
----
phase ml/small Inqueue
wait ml/batch: NotEnoughResources: cpu 4 asked, 3 free on own-1
wait ml/small: NoPods

queues inqueue allocated
----
queue  inqueue  allocated
ml     cpu=3    cpu=4
