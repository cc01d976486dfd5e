# A task that is placed for one queue of a team moves the whole team back, within the
# same cycle.
#
# Both teams hold nothing, and a goes first by name. Once inference has its CPU, team a
# holds a quarter of its part and team b nothing: the second CPU is batch's, not
# training's.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=2
queue a b deserved=cpu:4
queue inference training parent=a deserved=cpu:2
queue batch parent=b deserved=cpu:2

submit x/train  queue=training  1 x cpu=1
submit x/infer  queue=inference 1 x cpu=1
submit x/crunch queue=batch     1 x cpu=1
cycle
----
bind x/infer-0 n1
bind x/crunch-0 n1
wait x/train: NotEnoughResources: cpu 1 asked, 0 free on n1
