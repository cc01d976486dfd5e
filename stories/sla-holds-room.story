# A late gang keeps what was found for it as long as more is being freed, though it is
# not whole yet; before its time that room goes to smaller jobs.
#
# gang needs five cpu. Two are free, and the three that old holds come free one by one.

conf
  actions enqueue allocate
  tier    sla
  tier    gang
  tier    predicates nodeorder
node n1 cpu=2
node n2 cpu=3

submit ml/old  min=1 3 x cpu=1 on=n2
submit ml/gang 5 x cpu=1 sla=1m
cycle
----
wait ml/gang: GangIncomplete 2 of 5: NotEnoughResources: cpu 1 asked, 0 free on n1

# In time: three of five, and early takes from it.
delete ml/old-0
submit ml/early 1 x cpu=1 for=5s
cycle
----
bind ml/early-0 n1
wait ml/gang: GangIncomplete 2 of 5: NotEnoughResources: cpu 1 asked, 0 free on n1

run until=1m
----
wait ml/gang: GangIncomplete 3 of 5: NotEnoughResources: cpu 1 asked, 0 free on n1

# Late: four of five, and small has to wait.
delete ml/old-1
submit ml/small 1 x cpu=1
cycle
----
pipeline ml/gang-3 n2
wait ml/gang: Pipelined 1 of 5
wait ml/small: NotEnoughResources: cpu 1 asked, 0 free on n1

# The fifth is being freed.
delete ml/old-2
cycle
----
pipeline ml/gang-4 n2
wait ml/gang: Pipelined 1 of 5
wait ml/small: NotEnoughResources: cpu 1 asked, 0 free on n1

cycle
----
bind ml/gang-0 n2
bind ml/gang-1 n1
bind ml/gang-2 n2
bind ml/gang-3 n1
bind ml/gang-4 n2
wait ml/old: NoPods
wait ml/small: NotEnoughResources: cpu 1 asked, 0 free on n1
