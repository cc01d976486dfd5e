# Members of a gang may ask for different things; it starts when all of them have a
# place.
#
# The workers need the big node's GPUs and all of its CPUs, so the driver must not sit
# there. Members are placed one after the other and no choice is taken back: it is
# binpack, which fills the small node first, that makes it come out well.

conf
  tier gang
  tier predicates proportion binpack
node big cpu=8 gpu=2
node little cpu=2
queue ml

submit ml/spark queue=ml min=3
  1 x cpu=2 as driver
  2 x cpu=4,gpu=1 as worker
cycle
----
bind ml/spark-driver-0 little
bind ml/spark-worker-0..1 big
