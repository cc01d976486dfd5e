# Where several things are short all of them are said, with the amounts of the node that
# comes nearest.
#
# n1 lacks CPU and memory, n2 lacks memory only: n2 is nearer, and the reason is about
# n2.

conf
  tier gang
  tier predicates nodeorder
node n1 cpu=2 memory=4Gi
node n2 cpu=8 memory=6Gi

submit ml/big 1 x cpu=4,memory=8Gi
cycle
----
wait ml/big: never PodTooLarge ml/big-0: memory 8Gi asked, 6Gi there; NotEnoughResources: memory 8Gi asked, 6Gi free on n2

why ml/big
----
NotEnoughResources: memory 8Gi asked, 6Gi free on n2
  InsufficientResource memory on 2 nodes
  InsufficientResource cpu on n1
