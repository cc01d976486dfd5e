# A side of the hierarchy in which no job asks for anything takes no turns, and its part
# goes to the others; when it comes back it goes first until it is level.

conf
  actions enqueue allocate
  tier    drf(enableHierarchy=true) predicates nodeorder
node n1 cpu=4
queue dev path=eng/dev
queue sci path=sci

submit a/dev queue=dev min=1 6 x cpu=1
cycle
----
bind a/dev-0..3 n1
wait a/dev: NotEnoughResources: cpu 1 asked, 0 free on n1

submit a/sci queue=sci min=1 3 x cpu=1
finish a/dev-0
finish a/dev-1
cycle
----
bind a/sci-0..1 n1
wait a/dev: NotEnoughResources: cpu 1 asked, 0 free on n1
wait a/sci: NotEnoughResources: cpu 1 asked, 0 free on n1
