# A late gang keeps what was found for it while more is being freed, though it is not
# whole yet; before its time the room goes to smaller jobs.
#
# gang needs four cpu. In each cycle two are free and one more is being freed.

conf
  actions enqueue allocate
  tier    sla
  tier    gang
  tier    predicates nodeorder
node n1 cpu=2
node n2 cpu=2

submit ml/old  2 x cpu=1 on=n2
submit ml/gang min=4 4 x cpu=1 sla=1m
delete ml/old-0
cycle
----
wait ml/gang: GangIncomplete 3 of 4: NotEnoughResources: cpu 1 asked, 0 free on n1
wait ml/old: NotEnoughTasks 1 of 2

run until=1m
----
wait ml/gang: GangIncomplete 3 of 4: NotEnoughResources: cpu 1 asked, 0 free on n1
wait ml/old: NotEnoughTasks 1 of 2

delete ml/old-1
submit ml/small 2 x cpu=1
cycle
----
pipeline ml/gang-3 n2
wait ml/gang: Pipelined 1 of 4
wait ml/old: NotEnoughTasks 0 of 2
wait ml/small: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1

cycle
----
bind ml/gang-0 n1
bind ml/gang-1 n2
bind ml/gang-2 n1
bind ml/gang-3 n2
wait ml/old: NoPods
wait ml/small: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1
