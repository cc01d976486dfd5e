# A taint keeps pods off a node unless they tolerate it.

node plain cpu=2
node gpus cpu=8 taint=team=ml:NoSchedule
queue ml

submit ml/stranger queue=ml min=1 1 x cpu=4
submit ml/member   queue=ml min=1 tolerate=team=ml:NoSchedule 1 x cpu=4
cycle
----
bind ml/member-0 gpus
wait ml/stranger: NotEnoughResources: cpu 4 asked, 2 free on plain

why ml/stranger
----
NotEnoughResources: cpu 4 asked, 2 free on plain
  InsufficientResource cpu on plain
  NodeTaint team=ml:NoSchedule on gpus
