# With enableHierarchy drf orders queues down the tree that they name, and half of a
# company is half however many queues it has.
#
# eng has two queues and sci one. Level by level eng and sci get six cpu each, and of
# eng's six dev, at twice the weight of ops, gets four. Were the three queues equals,
# each would get four.

conf
  actions enqueue allocate
  tier    gang drf(enableHierarchy=true)
  tier    predicates nodeorder
node n1 cpu=12
queue dev path=eng/dev:2
queue ops path=eng/ops
queue sci path=sci

submit a/dev queue=dev min=1 12 x cpu=1
submit a/ops queue=ops min=1 12 x cpu=1
submit a/sci queue=sci min=1 12 x cpu=1
cycle
----
bind a/dev-0 n1
bind a/sci-0 n1
bind a/ops-0 n1
bind a/sci-1 n1
bind a/dev-1 n1
bind a/sci-2 n1
bind a/dev-2 n1
bind a/sci-3 n1
bind a/ops-1 n1
bind a/sci-4 n1
bind a/dev-3 n1
bind a/sci-5 n1
wait a/dev: NotEnoughResources: cpu 1 asked, 0 free on n1
wait a/ops: NotEnoughResources: cpu 1 asked, 0 free on n1
wait a/sci: NotEnoughResources: cpu 1 asked, 0 free on n1

queues allocated
----
queue  allocated
dev    cpu=4
ops    cpu=2
sci    cpu=6
