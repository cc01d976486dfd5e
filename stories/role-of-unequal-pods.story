# That no node takes one pod of a role says nothing of another pod of that role that asks for less.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=4

submit ml/train min=1
  1 x cpu=8 as worker
  1 x cpu=1 as worker
cycle
----
bind ml/train-worker-1 n1
wait ml/train: NotEnoughResources: cpu 8 asked, 3 free on n1
