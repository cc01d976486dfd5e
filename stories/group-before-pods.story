# A job is admitted before its pods exist.
#
# Operators create the pods of a job only once its PodGroup is Inqueue. A scheduler that
# waits for the pods first would wait for ever.

node n1 cpu=8
queue ml

submit ml/ray queue=ml min=2 minresources=cpu:2
cycle phases
----
phase ml/ray Inqueue
wait ml/ray: NoPods

grow ml/ray 2 x cpu=1
cycle
----
bind ml/ray-0..1 n1

cycle phases
----
phase ml/ray Running
