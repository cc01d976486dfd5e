# Pods that name a PodGroup which does not exist wait for it. When it comes they start
# as its gang.

node n1 cpu=8
queue ml

submit ml/orphans queue=ml no-group group=orphans 2 x cpu=1
submit ml/fine queue=ml 1 x cpu=1
cycle
----
bind ml/fine-0 n1
wait ml/orphans: PodGroupNotFound: orphans

problems
----
PodGroup/ml/orphans: 2 pods name it, and it does not exist: they wait

submit ml/orphans queue=ml min=2
cycle
----
bind ml/orphans-0..1 n1
