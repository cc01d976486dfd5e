# A pod with an invalid quantity is set aside: its gang waits and says which
# pod it is, and all others go on.

node n1 cpu=8
queue ml

submit ml/absurd queue=ml min=3
  2 x cpu=1
  1 x cpu=1 fault=spec.containers[0].resources.requests.cpu
submit ml/fine queue=ml 2 x cpu=1
cycle
----
bind ml/fine-0..1 n1
wait ml/absurd: InvalidObject ml/absurd-2: spec.containers[0].resources.requests.cpu: the value makes no sense

problems
----
Pod/ml/absurd-2: spec.containers[0].resources.requests.cpu: the value makes no sense
