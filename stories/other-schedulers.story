# Pods of other schedulers use what they hold where they run; those that wait are left
# to their own scheduler.

node n1 cpu=4
queue ml

submit kube-system/dns no-group scheduler=default-scheduler 1 x cpu=3 on=n1
submit kube-system/web no-group scheduler=default-scheduler 1 x cpu=1
submit ml/train queue=ml min=1 2 x cpu=1
cycle
----
bind ml/train-0 n1
wait ml/train: NotEnoughResources: cpu 1 asked, 0 free on n1

pods status node scheduler
----
pod              status   node  scheduler
kube-system/dns  Running  n1    default-scheduler
kube-system/web  Pending  -     default-scheduler
ml/train-0       Binding  n1    -
ml/train-1       Pending  -     -

nodes
----
node  used   idle
n1    cpu=4  -
