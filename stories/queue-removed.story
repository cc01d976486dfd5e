# A queue that is removed lets no job start, and what runs in it runs on and is counted
# where it runs.

node n1 cpu=4
queue ml

submit ml/runs queue=ml 1 x cpu=1
cycle
----
bind ml/runs-0 n1

remove queue ml
submit ml/waits queue=ml 1 x cpu=1
cycle
----
wait ml/waits: QueueNotFound ml

nodes
----
node  used   idle
n1    cpu=1  cpu=3
