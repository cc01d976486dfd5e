# What a gang has lost it gets back before another job of its priority starts.
#
# train runs with three of its four members. first came before it, holds nothing yet, and
# could start with the room of the one that is missing; but three members would stand idle
# for that. urgent has a higher priority, and goes before both.

conf
  tier priority gang
  tier drf predicates proportion
class high 100
node n1 cpu=8
queue q

submit ml/first queue=q 1 x cpu=2
submit ml/train queue=q phase=Running min=4 3 x cpu=2 on=n1 1 x cpu=2
cycle phases
----
phase ml/first Inqueue
bind ml/train-3 n1
wait ml/first: QueueOverused q: cpu 8 deserved, 8 held

fail ml/train-0
grow ml/train 1 x cpu=2
submit ml/urgent queue=q priority=high 1 x cpu=2
cycle phases
----
phase ml/urgent Inqueue
bind ml/urgent-0 n1
phase ml/train Unknown
wait ml/first: QueueOverused q: cpu 8 deserved, 8 held
wait ml/train: QueueOverused q: cpu 8 deserved, 8 held
