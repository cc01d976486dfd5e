# Queues are served in turns: the one that holds least of what it deserves comes next.
#
# Four jobs wait in each queue, and there is room for six. The order of the binds shows
# the turns: weight 2 is served twice as often as weight 1.

node n1 cpu=6
queue heavy weight=2
queue light weight=1

submit a/w queue=heavy min=1 1 x cpu=1
submit a/x queue=heavy min=1 1 x cpu=1
submit a/y queue=heavy min=1 1 x cpu=1
submit a/z queue=heavy min=1 1 x cpu=1
submit b/w queue=light min=1 1 x cpu=1
submit b/x queue=light min=1 1 x cpu=1
submit b/y queue=light min=1 1 x cpu=1
submit b/z queue=light min=1 1 x cpu=1
cycle
----
bind a/w-0 n1
bind b/w-0 n1
bind a/x-0 n1
bind a/y-0 n1
bind b/x-0 n1
bind a/z-0 n1
wait b/y: QueueOverused light: cpu 2 deserved, 2 held
wait b/z: QueueOverused light: cpu 2 deserved, 2 held
